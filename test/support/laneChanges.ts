/** What a decided change makes of a lane, and what would be wrong with it. */
import type { Change, RunChange } from "../../src/core/deployments/change.ts";
import { currentStage, type Lane, type LaneRun } from "../../src/core/deployments/lane.ts";
import { canBecome, type DeploymentStatus, isTerminal, type StagePhase } from "../../src/core/deployments/lifecycle.ts";
import { isRunTerminal, RUN_TRANSITIONS } from "../../src/core/runs/lifecycle.ts";
import type { DomainEventName } from "../../src/work/domainEvent.ts";
import { runOf, stageOf } from "./lanes.ts";

/** The lane once `change` is written. */
export function written(before: Lane, change: Change): Lane {
  const lane = structuredClone(before);
  const { run, stage, open, deployment } = change;
  if (run) Object.assign(lane.runs.find(({ id }) => id === run.id) ?? {}, changedRun(run));
  if (stage) Object.assign(currentStage(lane) ?? {}, { phase: stage });
  if (deployment) lane.deployment.status = deployment.to;
  if (open) {
    const opened = open.run ? runOf(lane, open.run.kind, { status: "pending" }) : null;
    if (opened) lane.runs.push({ ...opened, plan_run_id: open.run?.planRunId ?? null });
    lane.stages.push(stageOf(lane, open.kind, "running", opened));
  }
  return lane;
}

function changedRun({ to, doneSha256 }: RunChange): Partial<LaneRun> {
  return { status: to, assigned_expires_at: null, ...(doneSha256 ? { done_sha256: doneSha256 } : {}) };
}

/** The events by which subscribers hear of each end of a deployment. */
const END_EVENTS: Partial<Record<DeploymentStatus, readonly DomainEventName[]>> = {
  finished: ["deployment_succeeded", "preview_ready"],
  failed: ["deployment_failed"],
  cancelled: ["deployment_cancelled"],
  skipped: ["deployment_skipped", "deployment_auto_skipped", "preview_auto_skipped", "preview_withdrawn"],
};

const ENDED: readonly (StagePhase | undefined)[] = ["done", "failed", "cancelled", "skipped"];

/** What is wrong with a change, by the state tables and by what no deployment may be left in; empty when nothing is. */
export function faultsOf(before: Lane, change: Change): string[] {
  const { mode, status } = before.deployment;
  const { deployment, run, activity = [] } = change;
  const after = written(before, change);
  const changed = before.runs.find(({ id }) => id === run?.id);
  const live = after.runs.filter((one) => !isRunTerminal(one.status));
  const faults: Record<string, boolean> = {
    "a deployment that ended changes": isTerminal(status),
    [`a ${mode} becomes ${deployment?.to} after ${status}`]: !!deployment && !canBecome(mode, status, deployment.to),
    "a run changes from a status it is not in": !!run && changed?.status !== run.from,
    [`a run becomes ${run?.to} after ${run?.from}`]:
      !!run && !(RUN_TRANSITIONS[run.from] as readonly string[]).includes(run.to),
    "two runs are in flight": live.length > 1,
    "a run outlives its deployment": isTerminal(after.deployment.status) && live.length > 0,
    "a stage outlives its deployment":
      isTerminal(after.deployment.status) && !ENDED.includes(currentStage(after)?.phase),
    "a stage is left behind": after.stages.slice(0, -1).some(({ phase }) => !ENDED.includes(phase)),
    "one act is logged twice": activity.length > 1,
    [`nobody hears of the end ${deployment?.to}`]:
      !!deployment && END_EVENTS[deployment.to]?.includes(change.event.name) === false,
    "the reason of a run is not said of its deployment":
      !!run?.error && deployment?.to === "failed" && deployment.error !== run.error,
    "an end is told that did not happen": Object.entries(END_EVENTS).some(
      ([end, names]) => names.includes(change.event.name) && deployment?.to !== end,
    ),
  };
  return Object.keys(faults).filter((fault) => faults[fault]);
}
