/** The question at the end of a plan. It goes away when somebody else answered it meanwhile. */
import type { Session } from "../service/session.ts";
import type { Deployment } from "../service/types.ts";
import { choose } from "../terminal/ask.ts";
import type { Screen } from "../terminal/screen.ts";
import { type Plan, planOf } from "../watching/stages.ts";
import { pathOf, readDeployment } from "./find.ts";

const LOOK_MS = 2_000;

export type PlanAnswer = "apply" | "skip" | "leave" | "elsewhere" | "interrupted";

export async function askAboutPlan(
  session: Session,
  screen: Screen,
  deployment: Deployment,
  plan: Plan,
  stop: AbortSignal,
): Promise<PlanAnswer> {
  const gone = new AbortController();
  const looks = setInterval(async () => {
    const now = await readDeployment(session, pathOf(deployment)).catch(() => null);
    if (now !== null && (now.status !== "waiting" || planOf(now)?.runId !== plan.runId)) gone.abort();
  }, LOOK_MS);
  try {
    const signal = AbortSignal.any([gone.signal, stop]);
    const answer = await choose(
      screen,
      `Apply these changes to ${deployment.stack_id}?`,
      [
        { value: "no", label: "No", hint: "decide what becomes of the plan" },
        { value: "apply", label: "Yes, apply them" },
      ],
      signal,
    );
    if (answer === "apply") return answer;
    if (stop.aborted) return "interrupted";
    if (gone.signal.aborted) return "elsewhere";
    return await askWhatElse(screen, answer === null, signal, gone.signal);
  } finally {
    clearInterval(looks);
  }
}

/** A plan that waits unseen holds up everything behind it, so skipping it is offered first. */
async function askWhatElse(
  screen: Screen,
  interrupted: boolean,
  signal: AbortSignal,
  gone: AbortSignal,
): Promise<PlanAnswer> {
  const answer = await choose(
    screen,
    "The plan waits, and holds up what is queued behind it.",
    [
      { value: "skip", label: "Skip it" },
      { value: "leave", label: "Leave it waiting" },
    ],
    signal,
  );
  if (gone.aborted) return "elsewhere";
  if (answer === null) return "interrupted";
  return answer === "leave" && interrupted ? "interrupted" : answer;
}
