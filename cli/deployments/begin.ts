/** Commands that begin a deployment: up, plan, destroy, refresh, retry, run. */
import { answerOf } from "../../clients/api/client.ts";
import { type Action, attendanceOf, type Context, sessionOf } from "../context.ts";
import { EXIT, type ExitCode } from "../exit/exitCodes.ts";
import { usage } from "../exit/failure.ts";
import { type Session, stackIdOf } from "../service/session.ts";
import type { Deployment } from "../service/types.ts";
import { commitOf } from "../target/gitPlace.ts";
import type { Attendance } from "../watching/attendance.ts";
import { autoApproveOf } from "./approval.ts";
import { carryThrough, pageOf } from "./carryThrough.ts";
import type { Addresses } from "./decide.ts";
import { findDeployment, pathOf } from "./find.ts";

export type BeginOptions = {
  commit?: string;
  allowForeign?: boolean;
  target?: string[];
  exclude?: string[];
  replace?: string[];
  local?: string | true;
  detach?: boolean;
  quiet?: boolean;
  detailedExitcode?: boolean;
  autoApprove?: string | true;
  breakGlass?: string;
};

type Begin = (session: Session, attendance: Attendance) => Promise<Deployment>;

export const up = applying("plan");
export const destroy = applying("destroy");
export const refresh = applying("refresh");

export const plan: Action<BeginOptions> = async (context, named) => {
  const { options } = context;
  if (options.local !== undefined && options.commit !== undefined)
    throw usage("--local and --commit do not go together.");
  return begun(context, { planOnly: true }, async (session, attendance) => {
    const stackId = await stackIdOf(session, named ?? options.stack);
    if (options.local === undefined) return create(session, attendance, "plan_unlocked", stackId, options);
    const { planLocally } = await import("../localPlan/localPlan.ts");
    const directory = options.local === true ? "." : options.local;
    return planLocally(session, context.screen, attendance, { stackId, directory, addresses: addressesOf(options) });
  });
};

export const retry: Action<BeginOptions> = async (context, named) =>
  begun(context, { planOnly: false }, async (session, attendance) => {
    const { stackId, id } = pathOf(await findDeployment(session, named, context.options.stack));
    attendance.creating(session, stackId, { wouldWait: true });
    const path = { org_id: session.orgId, stack_id: stackId, id };
    return answerOf(
      session.api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/retry", {
        params: { path },
        signal: attendance.signal,
      }),
    );
  });

/** @param words the command and its arguments, or its script as one text */
export function runCommand(words: readonly string[]): Action<BeginOptions> {
  return async (context, named) => {
    const script = words.length === 1 ? words[0]! : words.map(quoted).join(" ");
    if (script.trim() === "") throw usage("What is to be run?", "deploy run STACK -- COMMAND");
    return begun(context, { planOnly: true }, async (session, attendance) => {
      const stackId = await stackIdOf(session, named ?? context.options.stack);
      attendance.creating(session, stackId);
      const { breakGlass } = context.options;
      const path = { org_id: session.orgId, stack_id: stackId };
      return answerOf(
        session.api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/run-command", {
          params: { path },
          body: { script, ...(breakGlass !== undefined && { break_glass: breakGlass }) },
          signal: attendance.signal,
        }),
      );
    });
  };
}

function applying(mode: "plan" | "destroy" | "refresh"): Action<BeginOptions> {
  return async (context, named) => {
    const { options, screen } = context;
    const unattended = !screen.terminal.interactive && options.autoApprove === undefined && options.detach !== true;
    if (unattended) {
      throw usage(
        "Nobody is at the terminal to be asked.",
        "Use --auto-approve[=non-destructive], --detach, or deploy plan",
      );
    }
    return begun(context, { planOnly: false }, async (session, attendance) => {
      const stackId = await stackIdOf(session, named ?? options.stack);
      return create(session, attendance, mode, stackId, options);
    });
  };
}

async function begun(
  context: Context<BeginOptions>,
  { planOnly }: { planOnly: boolean },
  begin: Begin,
): Promise<ExitCode> {
  const { options, screen } = context;
  const autoApprove = autoApproveOf(options.autoApprove);
  if (autoApprove === undefined) throw usage("--auto-approve is for all, or for non-destructive plans.");
  using attendance = attendanceOf(context);
  const session = await sessionOf(context);
  const deployment = await begin(session, attendance);
  screen.value({ event: "created", deployment });
  if (options.detach) {
    screen.out(`${deployment.id}\n`);
    screen.note(pageOf(session, deployment));
    return EXIT.done;
  }
  screen.note(`${deployment.stack_id} ${deployment.id}\n${pageOf(session, deployment)}`);
  await attendance.watching(session, pathOf(deployment));
  const detailed = options.detailedExitcode === true;
  const logs = options.quiet !== true;
  // Awaited here: what attends to it ends with this function.
  return await carryThrough(
    { session, screen, attendance, logs, detailed, autoApprove, planOnly, logged: null, seen: null },
    deployment,
  );
}

async function create(
  session: Session,
  attendance: Attendance,
  mode: "plan" | "destroy" | "refresh" | "plan_unlocked",
  stackId: string,
  options: BeginOptions,
): Promise<Deployment> {
  const commit = options.commit === undefined ? {} : { commit_sha: await commitOf(options.commit, process.cwd()) };
  const foreign = options.allowForeign ? { allow_foreign: true } : {};
  attendance.creating(session, stackId, { wouldWait: mode !== "plan_unlocked" && options.detach !== true });
  return answerOf(
    session.api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments", {
      params: { path: { org_id: session.orgId, stack_id: stackId } },
      signal: attendance.signal,
      body: { mode, ...commit, ...foreign, ...addressesOf(options) },
    }),
  );
}

export function addressesOf({
  target,
  exclude,
  replace,
}: Pick<BeginOptions, "target" | "exclude" | "replace">): Addresses {
  return {
    ...(target && { targets: target }),
    ...(exclude && { excludes: exclude }),
    ...(replace && { replaces: replace }),
  };
}

/** As a shell reads it back. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
