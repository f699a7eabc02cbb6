/** From a deployment to its end: watched, its plan shown, confirmed by whoever may, watched again. */
import { EXIT, type ExitCode } from "../exit/exitCodes.ts";
import { Failure } from "../exit/failure.ts";
import { readChanges } from "../reading/readChanges.ts";
import { BRIEF, renderChanges, summaryText } from "../reading/renderChanges.ts";
import type { Session } from "../service/session.ts";
import type { Deployment } from "../service/types.ts";
import { cleaned } from "../terminal/clean.ts";
import { colorsOf } from "../terminal/colors.ts";
import type { Screen } from "../terminal/screen.ts";
import type { Attendance } from "../watching/attendance.ts";
import { exitFor, isOver, type Plan, planOf, wasApplied } from "../watching/stages.ts";
import { Watch } from "../watching/watch.ts";
import { type AutoApprove, approvalOf } from "./approval.ts";
import { askAboutPlan } from "./askAboutPlan.ts";
import { applyPlan, skip } from "./decide.ts";
import { pathOf } from "./find.ts";

export type Carrying = {
  session: Session;
  screen: Screen;
  attendance: Attendance;
  logs: boolean;
  detailed: boolean;
  autoApprove: AutoApprove | null;
  /** Nobody is asked: the plan is what was wanted. */
  planOnly: boolean;
  /** As it was when its log had been seen; null: all of it is shown. */
  logged: Deployment | null;
  /** The run of the plan that was shown already. */
  seen: string | null;
};

/** @throws Failure, ApiError */
export async function carryThrough(carrying: Carrying, begun: Deployment): Promise<ExitCode> {
  const { session, screen, attendance, logs } = carrying;
  const path = pathOf(begun);
  const watch = new Watch(session, screen, path, (seen) => attendance.sees(seen));
  if (carrying.logged !== null) watch.skipLogsOf(carrying.logged);
  let { seen } = carrying;
  for (;;) {
    const deployment = await watch.untilRest({ logs, signal: attendance.signal });
    const plan = planOf(deployment);
    if (plan !== null && plan.runId !== seen) await showPlan(carrying, deployment, plan);
    seen = plan?.runId ?? null;
    if (isOver(deployment)) return ended(carrying, deployment);
    if (attendance.givenUp) {
      await skip(session, path);
      continue;
    }
    if (plan === null || carrying.planOnly) return waits(carrying, deployment, false);
    // A service that does not say it decides when it is asked.
    const allowed = deployment.allowed_actions?.includes("confirm") ?? true;
    const { interactive } = screen.terminal;
    const approval = approvalOf({ summary: plan.summary, autoApprove: carrying.autoApprove, interactive, allowed });
    if (approval.by === "nobody") return waits(carrying, deployment, approval.refused);
    // Of a service that knows none there are none. What was said beforehand is refused by the service itself.
    const [gate] = deployment.gates ?? [];
    if (gate !== undefined && approval.by === "question") {
      screen.note(cleaned(gate.detail));
      return waits(carrying, deployment, false);
    }
    if (approval.by === "option") {
      await applyPlan(session, path, plan.runId);
      continue;
    }
    const answer = await attendance.question((gone) => askAboutPlan(session, screen, deployment, plan, gone));
    if (answer === "interrupted") {
      if (attendance.givenUp) continue;
      attendance.leave();
    }
    if (answer === "leave") return waits(carrying, deployment, false);
    if (answer === "skip") await skip(session, path);
    if (answer === "apply" && !(await applied(carrying, deployment, plan))) seen = null;
    attendance.signal.throwIfAborted();
  }
}

/** @returns false where it was planned anew meanwhile: then that plan is to be looked at first */
async function applied({ session, screen }: Carrying, deployment: Deployment, plan: Plan): Promise<boolean> {
  try {
    await applyPlan(session, pathOf(deployment), plan.runId);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== "plan_changed") throw error;
    screen.note(`${(error as Error).message} Look at the new plan.`);
    return false;
  }
}

async function showPlan({ session, screen }: Carrying, deployment: Deployment, plan: Plan): Promise<void> {
  const { runId, summary } = plan;
  screen.value({ event: "plan", run_id: runId, summary });
  if (screen.json) return;
  const colors = colorsOf(screen.terminal).out;
  if (summary.has_changes) {
    try {
      const all = `deploy changes ${deployment.stack_id}/${deployment.id}`;
      const { items } = await readChanges(session, pathOf(deployment), runId);
      screen.out(`\n${renderChanges(items, colors, { ...BRIEF, all })}`);
    } catch (error) {
      const why = cleaned((error as Error).message);
      screen.note(`The changes of this plan could not be shown: ${why} Its page: ${pageOf(session, deployment)}`);
    }
  }
  screen.out(`\n${colors.bold(summaryText(summary))}\n`);
  for (const gap of summary.gaps) screen.note(`Not measured: ${cleaned(gap)}`);
  for (const warning of summary.warnings ?? []) screen.note(`Warning: ${cleaned(warning)}`);
}

function ended({ screen, attendance, detailed }: Carrying, deployment: Deployment): ExitCode {
  const { status, error, skipped_reason } = deployment;
  const code = attendance.exitWith(exitFor(deployment, detailed));
  screen.value({ event: "end", deployment, exit_code: code });
  const why = error ?? skipped_reason;
  const done = wasApplied(deployment) ? "applied" : status;
  screen.note(`${deployment.stack_id} ${deployment.id}: ${done}${why === null ? "" : ` (${cleaned(why)})`}`);
  const named = `${deployment.stack_id}/${deployment.id}`;
  if (status === "failed") screen.note(`Its log: deploy logs ${named}; once more: deploy retry ${named}`);
  return code;
}

function waits({ screen, session, detailed }: Carrying, deployment: Deployment, refused: boolean): ExitCode {
  const code = detailed ? EXIT.changes : refused ? EXIT.refused : EXIT.done;
  screen.value({ event: "end", deployment, exit_code: code });
  screen.note(`It waits for a person: deploy confirm ${deployment.stack_id}/${deployment.id}`);
  screen.note(pageOf(session, deployment));
  if (refused && !detailed)
    throw Failure.of(
      code,
      "The plan is not harmless, so --auto-approve=non-destructive does not apply it.",
      `Look at it, then confirm or skip it: deploy confirm ${deployment.stack_id}/${deployment.id}`,
    );
  return code;
}

export function pageOf({ host, orgId }: Session, { stack_id, id }: Pick<Deployment, "stack_id" | "id">): string {
  return `${host}/orgs/${orgId}/stacks/${encodeURIComponent(stack_id)}/deployments/${id}`;
}
