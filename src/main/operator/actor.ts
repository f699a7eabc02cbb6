/** Who acts when someone with database access does: the name of their account on the machine. */
import { userInfo } from "node:os";
import type { Actor } from "../../work/domainEvent.ts";

export function operator(): Actor {
  return { id: `operator:${account()}`, kind: "operator" };
}

/** In a container a user may have no account, and is then known by number. */
function account(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}
