/** All that a stack has queued ends at once (docs/rules/stacks.md#deleting). */
import { sql } from "drizzle-orm";
import type { Actor } from "../../work/domainEvent.ts";
import { tellSubscribers } from "../../work/publish.ts";
import type { Work } from "../../work/unitOfWork.ts";
import { auditLines } from "./auditLines.ts";
import { ENDS, endTogether } from "./endTogether.ts";

/**
 * Cancel every queued deployment of a stack that is locked and promotes nothing any more. Leaves the rows and messages
 * that a cancel of each would.
 */
export async function cancelQueued(work: Work, stackKey: string, actor: Actor): Promise<void> {
  const which = sql`d.status = 'queued'`;
  for (const { woken_at, ...row } of await endTogether(work, { stackKey, which, end: ENDS.cancel, actor })) {
    const { deployment_id: id, org_id } = row;
    await tellSubscribers(work, row);
    const workflow = { orgId: org_id, deploymentId: id };
    work.messages.push(
      woken_at === null
        ? { kind: "endDeployment", ...workflow, status: "cancelled" }
        : { kind: "signalDeployment", ...workflow, signal: "runFinished", over: true },
    );
    work.audit.push(...auditLines({ id, org_id }, [{ kind: "cancellation_requested", actor }]));
  }
}
