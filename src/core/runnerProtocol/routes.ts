/**
 * What an ephemeral runner calls about its run: accept, status, acknowledging-cancel, done
 * (docs/rules/runner-protocol.md#the-routes).
 */
import { sql } from "drizzle-orm";
import { type Context, Hono } from "hono";
import { refuseHead } from "../../http/methods.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { acceptRun, refuseRun } from "../deployments/transitions/accept.ts";
import type { ReportOutcome } from "../deployments/transitions/decideReport.ts";
import { acknowledgeCancel, reportDone } from "../deployments/transitions/report.ts";
import { withdrawCheck } from "../deployments/transitions/withdrawCheck.ts";
import type { RunnerRow } from "../runnerIdentity/admission.ts";
import { RunnerConflictError } from "../runnerIdentity/errors.ts";
import { isRunTerminal } from "../runs/lifecycle.ts";
import { AcceptBody, DoneBody, RunContext, RunStatusAnswer } from "../runs/protocol.ts";
import { artifactRoutes } from "./artifactRoutes.ts";
import { comeAgain, FOLLOWED, livenessEveryMs } from "./comeAgain.ts";
import { buildContext } from "./context.ts";
import { ContextRefusedError } from "./contextErrors.ts";
import type { RunnerDeps } from "./deps.ts";
import { identityRoutes } from "./identityRoutes.ts";
import { IN_THE_WAY } from "./inTheWay.ts";
import { outputRoutes } from "./outputRoutes.ts";
import { logRoutes } from "./pushLogRoutes.ts";
import { runnerCall } from "./runnerCall.ts";
import { ofRunner } from "./runnerOperation.ts";
import { readKnown } from "./runnerRequest.ts";
import { sourceRoutes } from "./sourceRoutes.ts";

export function runRoutes(deps: RunnerDeps): Hono {
  return new Hono()
    .post(
      "/:run_id/accept",
      ofRunner({
        id: "acceptRun",
        summary: "Take the run; answers everything needed to execute it, once",
        body: AcceptBody,
        answer: RunContext,
        problems: [409],
      }),
      (c) => accept(deps, c, c.req.param("run_id")),
    )
    .get(
      "/:run_id/status",
      refuseHead(),
      ofRunner({
        id: "readRunStatus",
        summary: "Say that the runner lives; tells of a cancel",
        answer: RunStatusAnswer,
        problems: [409],
      }),
      (c) => status(deps, c, c.req.param("run_id")),
    )
    .post(
      "/:run_id/acknowledging-cancel",
      ofRunner({ id: "acknowledgeCancel", summary: "The engine is being stopped", problems: [409] }),
      (c) => acknowledge(deps, c, c.req.param("run_id")),
    )
    .post(
      "/:run_id/done",
      ofRunner({ id: "reportRunDone", summary: "Report how the run ended", body: DoneBody, problems: [409] }),
      (c) => done(deps, c, c.req.param("run_id")),
    )
    .route("/", logRoutes(deps))
    .route("/", artifactRoutes(deps))
    .route("/", outputRoutes(deps))
    .route("/", sourceRoutes(deps))
    .route("/", identityRoutes(deps));
}

/** Lease looked at, context built with no lock held, then the one transaction that looks at the lease again. */
async function accept(deps: RunnerDeps, c: Context, run_id: string): Promise<Response> {
  const { runner_id } = await runnerCall(deps, c, { run_id }, ["own", "stale", "removed", "unknown"]);
  const said = await readKnown(c, AcceptBody, deps.metrics, "accept");
  const { protocol = 1, looks_at_branch: looksAtBranch = false } = said;
  const { renews_identities: renewsIdentities = false, runs_hooks: runsHooks = false } = said;
  const { keyring, sources, artifactBytes, treeBytes } = deps;
  const { maxRunDurationMs } = deps.service.timeouts;
  const limits = { artifactBytes, treeBytes, maxRunDurationMs, looksAtBranch, renewsIdentities, runsHooks };
  const caller = { runId: run_id, runnerId: runner_id, protocol };
  const building = buildContext({ db: deps.service.db, keyring, sources }, limits, caller);
  const built = await building.catch(async (error: unknown) => {
    if (error instanceof ContextRefusedError) return error;
    if (error instanceof ProblemError) await noteProblem(deps, run_id, runner_id, error);
    throw error;
  });
  const answer =
    built instanceof ContextRefusedError
      ? await refuseRun(deps.service, run_id, runner_id, built.message)
      : await acceptRun(deps.service, run_id, runner_id, built?.kept);
  if (answer.outcome === "refused") throw new RunnerConflictError(answer.why, answer.code ?? undefined);
  // A lease once lapsed or taken away never comes back to the same runner.
  if (built === null || built instanceof ContextRefusedError)
    throw new Error(`run ${run_id} was accepted without a context`);
  return c.json(built.context, 200, { "cache-control": "no-store" });
}

/** Should no later accept be answered either, this is why. */
async function noteProblem(
  { service }: RunnerDeps,
  runId: string,
  runnerId: string,
  { detail }: ProblemError,
): Promise<void> {
  await service.db.execute(sql`
    update runs set accept_problem = ${detail.slice(0, 1_000)}
    where id = ${runId} and assigned_runner_id = ${runnerId} and status = 'assigned'`);
}

/** One statement: the status as of now, and the liveness of a run that is not over. A check makes room for others. */
async function status(deps: RunnerDeps, c: Context, run_id: string): Promise<Response> {
  const everyMs = livenessEveryMs(deps.service.timeouts);
  const row = await runnerCall<RunnerRow & { in_the_way: boolean; followed: boolean }>(
    deps,
    c,
    { run_id },
    ["own", "stale", "removed"],
    () => sql`, seen as (
        insert into run_liveness (run_id, last_seen_at) select c.run_id, svc_now() from caller c
        left join run_liveness l on l.run_id = c.run_id
        where c.valid and c.relation = 'own' and c.run_status in ('running', 'requested_cancellation', 'cancelling')
          and (l.last_seen_at is null or l.last_seen_at <= svc_now() - ${everyMs}::float8 * interval '1 millisecond')
        on conflict (run_id) do update set last_seen_at = greatest(run_liveness.last_seen_at, excluded.last_seen_at)
      )
      select *, ${IN_THE_WAY} as in_the_way, ${FOLLOWED} from caller`,
  );
  if (row.relation !== "own" && !isRunTerminal(row.run_status)) {
    throw new RunnerConflictError("The run is not assigned to this runner any more.");
  }
  const stopped = row.in_the_way && row.relation === "own" && (await withdrawCheck(deps.service, run_id));
  comeAgain(deps, c, row);
  const run_status = stopped ? "requested_cancellation" : row.run_status;
  return c.json({ status: run_status } satisfies RunStatusAnswer, 200, { "cache-control": "no-store" });
}

async function acknowledge(deps: RunnerDeps, c: Context, run_id: string): Promise<Response> {
  const { runner_id } = await runnerCall(deps, c, { run_id }, ["own", "stale", "removed"]);
  return answer(c, await acknowledgeCancel(deps.service, run_id, runner_id));
}

async function done(deps: RunnerDeps, c: Context, run_id: string): Promise<Response> {
  const { runner_id, selector_id } = await runnerCall(deps, c, { run_id }, ["own", "stale", "removed"]);
  const body = await readKnown(c, DoneBody, deps.metrics, "done");
  const report = await reportDone(deps.service, run_id, runner_id, body);
  // The group's capacity is free again, for runs that were pending already.
  if (report.outcome === "stored") deps.service.runsPending([selector_id]);
  return answer(c, report);
}

function answer(c: Context, report: ReportOutcome): Response {
  if (report.outcome === "refused") throw new RunnerConflictError(report.why, report.code);
  return c.body(null, 204);
}
