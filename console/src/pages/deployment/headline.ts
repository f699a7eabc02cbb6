/** What a deployment's page says first, in capitals: what is to be done, else what is going on. Pure. */
import type { Deployment, Stage } from "../../data/types.ts";
import type { Tone } from "../../ui/status.ts";

export type Headline = { text: string; tone: Tone };

export function headlineOf(deployment: Deployment): Headline {
  const { status, allowed_actions: allowed } = deployment;
  switch (status) {
    case "queued":
      return { text: "Queued", tone: "still" };
    case "pending":
      return { text: "Waiting for a runner", tone: "still" };
    case "planning":
      return { text: "Planning", tone: "run" };
    case "waiting":
      if (deployment.gates.some(({ code }) => code === "policy_pending"))
        return { text: "Policies look at the plan", tone: "run" };
      if (deployment.gates.some(({ code }) => code === "policy_denied"))
        return { text: "Denied by policy", tone: "bad" };
      if (deployment.gates.some(({ gate }) => gate === "approvals"))
        return { text: "Waiting for approvals", tone: "wait" };
      return allowed.includes("confirm") || allowed.includes("confirm_preview")
        ? { text: "Waiting for you", tone: "wait" }
        : { text: "Waiting for somebody who may confirm", tone: "wait" };
    case "applying":
      return lastRun(deployment)?.started_at == null
        ? { text: "Confirmed, waiting for a runner", tone: "run" }
        : { text: deployment.mode === "raw" ? "Running" : "Applying", tone: "run" };
    case "requested_cancellation":
    case "cancelling":
      return { text: "Stopping", tone: "wait" };
    case "finished":
      return { text: finishedText(deployment), tone: "ok" };
    case "failed":
      return { text: failedText(deployment), tone: "bad" };
    case "cancelled":
      return { text: "Cancelled", tone: "still" };
    case "skipped":
      return { text: "Skipped", tone: "still" };
    default:
      return { text: status, tone: "still" };
  }
}

function finishedText({ mode, stages }: Deployment): string {
  if (stages.some(({ kind, phase }) => kind === "apply_run" && phase === "done")) {
    return mode === "destroy" ? "Destroyed" : "Applied";
  }
  if (mode === "raw") return "Done";
  const summary = stages.findLast(({ run }) => run?.plan_summary != null)?.run?.plan_summary;
  return summary?.has_changes === false ? "Nothing to do" : "Planned";
}

const FAILED: Partial<Record<Stage["kind"], string>> = {
  plan_run: "Plan failed",
  destroy_run: "Plan failed",
  refresh_run: "Plan failed",
  apply_run: "Apply failed",
  raw_run: "Command failed",
};

function failedText({ stages }: Deployment): string {
  const stage = stages.findLast(({ phase }) => phase === "failed");
  return (stage && FAILED[stage.kind]) ?? "Failed";
}

export function lastRun({ stages }: Deployment): Stage["run"] {
  return stages.findLast(({ run }) => run !== null)?.run ?? null;
}
