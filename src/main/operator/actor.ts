/** Who acts when someone with database access does: the name of their account on the machine. */
import { userInfo } from "node:os";
import type { Actor } from "../../work/domainEvent.ts";

export function operator(): Actor {
  return { id: `operator:${userInfo().username}`, kind: "operator" };
}
