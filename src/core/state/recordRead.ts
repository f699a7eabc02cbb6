/** A state holds secrets: who took one is in the trail. */
import type { Subject } from "../../http/principal.ts";
import { recordAudit } from "../../people/audit/record.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { StackRow } from "../stacks/schema.ts";

/** @param number of the version */
export async function recordRead(
  db: Queryable,
  stack: StackRow,
  actor: Subject,
  number: number | "newest",
): Promise<void> {
  const details = { stack_id: stack.slug, number };
  await recordAudit(db, { orgId: stack.orgId, actor, action: "state.read", resourceId: stack.slug, details });
}
