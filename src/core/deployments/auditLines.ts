/** What of the activity log the `deployment-audit` channel hears (docs/rules/transitions.md#the-audit-channel). */
import type { AuditLine } from "../../work/service.ts";
import type { ActivityKind, Change } from "./change.ts";

/** A command has its own line, which tells its length; see `runCommand`. */
const ACTIONS: Partial<Record<ActivityKind, string>> = {
  confirmed_apply: "confirm_apply",
  confirmed_skip: "skip",
  skipped: "skip",
  cancellation_requested: "cancel",
};

/**
 * One line for each apply confirmation, cancellation request and skip of a principal. Derived from the activity rows, which
 * every path writes: the single routes, the bulk ones, a stack's forced deletion and the operator's command. Pure.
 */
export function auditLines(
  deployment: { id: string; org_id: string },
  activity: NonNullable<Change["activity"]>,
): AuditLine[] {
  return activity.flatMap(({ kind, actor, details = {} }) => {
    const action = ACTIONS[kind];
    if (action === undefined || actor === null) return [];
    const line = { action, deploymentId: deployment.id, orgId: deployment.org_id, actorId: actor.id };
    return [{ ...line, actorKind: actor.kind, force: details.force === true }];
  });
}
