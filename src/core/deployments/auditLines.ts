/** What of the activity log the `deployment-audit` channel hears (docs/rules/transitions.md#the-audit-channel). */
import type { AuditLine } from "../../work/service.ts";
import type { ActivityKind, Change } from "./change.ts";

const ACTIONS: Partial<Record<ActivityKind, string>> = {
  confirmed_apply: "confirm_apply",
  confirmed_skip: "skip",
  skipped: "skip",
  cancellation_requested: "cancel",
};

/**
 * One line for each apply confirmation, cancellation request, skip and command of a principal. Derived from the
 * activity rows, which every path writes: the single routes, the bulk ones, a retry, a stack's forced deletion and the
 * operator's command. Pure.
 */
export function auditLines(
  deployment: { id: string; org_id: string },
  activity: NonNullable<Change["activity"]>,
): AuditLine[] {
  return activity.flatMap(({ kind, actor, details = {} }): AuditLine[] => {
    if (actor === null) return [];
    const line = { deploymentId: deployment.id, orgId: deployment.org_id, actorId: actor.id };
    const { command_bytes: bytes } = details;
    if (kind === "created" && typeof bytes === "number")
      return [{ action: "run_command", ...line, command_bytes: bytes }];
    const action = ACTIONS[kind];
    return action === undefined ? [] : [{ action, ...line, actorKind: actor.kind, force: details.force === true }];
  });
}
