/** Stores what a change says of itself: activity rows, the domain event, lines of the audit log. */
import { sql } from "drizzle-orm";
import type { DomainEvent, DomainEventName } from "../../work/domainEvent.ts";
import { publish } from "../../work/publish.ts";
import type { Work } from "../../work/unitOfWork.ts";
import { repositoryHash } from "../stacks/previewName.ts";
import { repositoryKey } from "../stacks/repositoryUrl.ts";
import { auditLines } from "./auditLines.ts";
import type { Change } from "./change.ts";
import type { Lane, LaneDeployment } from "./lane.ts";

/** The activity rows and the domain event, and what the event's subscribers make of it. */
export async function writeLog(
  work: Work,
  lane: Pick<Lane, "now" | "deployment" | "stages">,
  change: Pick<Change, "activity" | "event" | "run">,
): Promise<void> {
  const { deployment } = lane;
  const event = {
    orgId: deployment.org_id,
    name: nameOf(deployment, change.event),
    stackKey: deployment.stack_key,
    deploymentId: deployment.id,
    runId: change.event.runId ?? change.run?.id ?? null,
    preview: previewOf(deployment),
    actor: change.event.actor ?? null,
    data: {
      mode: deployment.mode,
      origin_type: deployment.origin_type,
      ...(deployment.origin_pr_number === null ? {} : { pr_number: deployment.origin_pr_number }),
      ...change.event.data,
    },
  };
  const stageId = lane.stages.at(-1)?.id ?? null;
  const activity = (change.activity ?? []).map((a) => ({
    kind: a.kind,
    actor_id: a.actor?.id ?? null,
    actor_kind: a.actor?.kind ?? null,
    stage_id: a.kind.startsWith("confirmed_") ? stageId : null,
    details: a.details ?? {},
  }));
  const logged = sql`logged as (
      insert into deployment_events (deployment_id, kind, actor_id, actor_kind, stage_id, details, created_at)
      select ${deployment.id}, a.kind, a.actor_id, a.actor_kind, a.stage_id, a.details, ${lane.now}::timestamptz
      from jsonb_to_recordset(${JSON.stringify(activity)}::jsonb)
        as a (kind text, actor_id text, actor_kind text, stage_id uuid, details jsonb)
    )`;
  await publish(work, event, { at: sql`${lane.now}::timestamptz`, along: logged });
  work.audit.push(...auditLines(deployment, change.activity ?? []));
}

/** Begin and end of a check are nobody's news; what somebody does to one keeps its name, and its entry in the trail. */
const OF_CHECKS: Partial<Record<DomainEventName, DomainEventName>> = {
  deployment_created: "drift_check_started",
  preview_ready: "drift_check_ended",
  deployment_failed: "drift_check_ended",
  deployment_cancelled: "drift_check_ended",
};

function nameOf({ mode }: Pick<LaneDeployment, "mode">, { name, actor }: Change["event"]): DomainEventName {
  return mode === "drift" && !actor ? (OF_CHECKS[name] ?? name) : name;
}

/** Of a preview: its pull request. */
export function previewOf({
  origin_type,
  repository_url,
  origin_pr_number: number,
}: LaneDeployment): DomainEvent["preview"] {
  if (origin_type !== "pull_request" || number === null) return null;
  return { repositoryHash: repositoryHash(repositoryKey(repository_url)), number };
}
