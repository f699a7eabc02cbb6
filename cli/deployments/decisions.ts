/** Commands that decide about a deployment: confirm, replan, skip, cancel; and watch. */
import { type Action, attendanceOf, type Context, sessionOf } from "../context.ts";
import { EXIT, type ExitCode } from "../exit/exitCodes.ts";
import { Failure, usage } from "../exit/failure.ts";
import type { Session } from "../service/session.ts";
import type { Deployment } from "../service/types.ts";
import type { Attendance } from "../watching/attendance.ts";
import { addressesOf, type BeginOptions } from "./begin.ts";
import { type Carrying, carryThrough } from "./carryThrough.ts";
import { applyPlan, cancel as cancelIt, replan as replanIt, skip as skipIt } from "./decide.ts";
import { findDeployment, pathOf } from "./find.ts";

type DecisionOptions = Pick<
  BeginOptions,
  "detach" | "quiet" | "detailedExitcode" | "target" | "exclude" | "replace"
> & {
  plan?: string;
  breakGlass?: string;
  force?: boolean;
  logs?: boolean;
};

/** At a terminal the plan is shown and asked about; elsewhere the plan that was seen is named by its run. */
export const confirm: Action<DecisionOptions> = async (context, named) => {
  const { options, screen } = context;
  if (!screen.terminal.interactive && options.plan === undefined) {
    throw usage("Nobody is at the terminal to be shown the plan.", "Name the plan that was seen: --plan RUN_ID");
  }
  if (options.breakGlass !== undefined && options.plan === undefined)
    throw usage("--break-glass: what is applied without approvals is named.", "The plan that was seen: --plan RUN_ID");
  using attendance = attendanceOf(context);
  const session = await sessionOf(context);
  const found = await findDeployment(session, named, options.stack);
  if (found.status !== "waiting")
    throw Failure.of(
      EXIT.conflict,
      `Deployment ${found.id} is ${found.status}: there is nothing to confirm.`,
      `Watch it: deploy watch ${found.stack_id}/${found.id}; those that wait: deploy ls --waiting-for me`,
    );
  await attendance.watching(session, pathOf(found));
  const carried = { planOnly: false, logged: found, seen: options.plan ?? null };
  if (options.plan === undefined) return await carry(context, session, attendance, found, carried);
  const confirmed = await applyPlan(session, pathOf(found), options.plan, options.breakGlass);
  screen.value({ event: "confirmed", deployment: confirmed });
  return options.detach ? EXIT.done : await carry(context, session, attendance, confirmed, carried);
};

export const replan: Action<DecisionOptions> = async (context, named) => {
  const { options, screen } = context;
  using attendance = attendanceOf(context);
  const session = await sessionOf(context);
  const found = await findDeployment(session, named, options.stack);
  const planned = await replanIt(session, pathOf(found), addressesOf(options));
  screen.value({ event: "replanned", deployment: planned });
  if (options.detach) return EXIT.done;
  await attendance.watching(session, pathOf(found));
  return await carry(context, session, attendance, planned, { planOnly: false, logged: found, seen: null });
};

export const skip: Action<DecisionOptions> = async (context, named) => {
  const session = await sessionOf(context);
  const found = await findDeployment(session, named, context.options.stack);
  told(context, await skipIt(session, pathOf(found)));
  return EXIT.done;
};

export const cancel: Action<DecisionOptions> = async (context, named) => {
  const session = await sessionOf(context);
  const found = await findDeployment(session, named, context.options.stack);
  told(context, await cancelIt(session, pathOf(found), context.options.force === true));
  return EXIT.done;
};

export const watch: Action<DecisionOptions> = async (context, named) => {
  using attendance = attendanceOf(context);
  const session = await sessionOf(context);
  const found = await findDeployment(session, named, context.options.stack);
  await attendance.watching(session, pathOf(found));
  return await carry(context, session, attendance, found, { planOnly: true, logged: null, seen: null });
};

function carry(
  { options, screen }: Context<DecisionOptions>,
  session: Session,
  attendance: Attendance,
  deployment: Deployment,
  how: Pick<Carrying, "planOnly" | "logged" | "seen">,
): Promise<ExitCode> {
  const detailed = options.detailedExitcode === true;
  const carrying = { session, screen, attendance, logs: options.quiet !== true, detailed, autoApprove: null, ...how };
  return carryThrough(carrying, deployment);
}

function told({ screen }: Context, deployment: Deployment): void {
  screen.value(deployment);
  screen.note(`${deployment.stack_id} ${deployment.id}: ${deployment.status}`);
}
