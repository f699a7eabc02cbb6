/** A state that a person changed: in the trail, and told to whoever knows what stands in it. */
import { recordAudit } from "../../people/audit/record.ts";
import { publish } from "../../work/publish.ts";
import type { Work } from "../../work/unitOfWork.ts";
import type { StateUser } from "./stateUser.ts";

type How = "push" | "delete" | "restore";

export async function recordChange(
  work: Work,
  { orgId, stackKey, stackSlug, subject }: Extract<StateUser, { kind: "person" }>,
  how: How,
  what: Record<string, string | number>,
): Promise<void> {
  const details = { stack_id: stackSlug, ...what };
  await recordAudit(work.tx, { orgId, actor: subject, action: `state.${how}`, resourceId: stackSlug, details });
  const actor = { id: subject.id, kind: subject.kind };
  await publish(work, { orgId, name: "state_changed", stackKey, actor, data: { stack_id: stackSlug, how } });
}
