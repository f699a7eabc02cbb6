import type { RunContext } from "../../src/core/runs/protocol.ts";
import { removeCloudProfiles } from "../engine/cloudProfiles.ts";
import { logFile } from "../output/deadLog.ts";
import { LogPusher } from "../output/logPusher.ts";
import { maskText } from "../output/masking.ts";
import type { OwnLog } from "../output/ownLog.ts";
import { plainText } from "../output/plainOutput.ts";
import { RunLog } from "../output/runLog.ts";
import { secretForms, secretsOf } from "../output/secretForms.ts";
import { releasePlaces } from "../place/place.ts";
import { type Means, Steps } from "../process/steps.ts";
import { Stopped, type StopReason, type StopSignal } from "../process/stop.ts";
import { publicReason } from "../process/systemReasons.ts";
import { maskedBody } from "../service/maskedBody.ts";
import { type Outcome, RunFailed } from "../service/outcome.ts";
import { persist } from "../service/retry.ts";
import type { RunnerApi } from "../service/runnerApi.ts";
import { ServiceRefused } from "../service/serviceClient.ts";
import { executeApply } from "./applyRun.ts";
import { type Findings, noFindings } from "./findings.ts";
import { Identities } from "./identities.ts";
import { Liveness } from "./liveness.ts";
import { executePlan } from "./planRun.ts";
import { executeRaw } from "./rawRun.ts";
import type { RunTrace } from "./runTrace.ts";
import type { RunResources } from "./workspace.ts";

const LOG_WINDOW_MS = 60_000;
const LATE_LOG_WINDOW_MS = 300_000;
const DONE_WINDOW_MS = 600_000;
const MAX_TIMER_MS = 2_147_483_647;

/**
 * Executes an accepted run to its end and reports it. Returns the exit code of the process: 0 when the service took
 * the report, 1 when the run was no longer ours to report (docs/rules/runner-protocol.md#refusals-of-accept).
 */
export async function executeAccepted(
  context: RunContext,
  { settings, directory, engines }: Pick<RunResources, "settings" | "directory" | "engines">,
  api: RunnerApi,
  means: Means,
  trace: RunTrace,
  logger: OwnLog,
): Promise<number> {
  const { stop } = means;
  const forms = secretForms(secretsOf(context));
  const mask = (text: string) => plainText(maskText(text, forms));
  const log = openLog(directory, context, settings, forms, stop);
  if (typeof log === "string") return (await reportDone(api, failure(log, null), mask, logger)) ? 0 : 1;
  const pusher = new LogPusher(log, api, settings.logMs, logger);
  const liveness = new Liveness(api, stop, settings.statusMs, logger);
  const steps = new Steps(log, means, settings.cancelGraceMs, trace);
  const cancelTimeout = limitDuration(context.limits.max_run_duration_seconds, settings.cancelGraceMs, stop);
  const identities = new Identities(context, api, forms, logger);
  pusher.start();
  liveness.start();
  identities.start();
  try {
    const findings = noFindings();
    const given = { context, settings, engines, directory, steps, store: api };
    const resources = { ...given, secretForms: forms, identities, findings };
    const ended = await work(resources, logger).finally(() =>
      Promise.all([removeCloudProfiles(directory), identities.end()]),
    );
    const outcome = withCommit(ended, findings);
    // Before the result is told: the apply of this plan may come here the moment it is.
    await releasePlaces(directory).catch((error: unknown) =>
      logger.error({ err: error }, "the folder of the run could not be given back"),
    );
    trace.outcome(outcome.status);
    if (stop.reason?.kind === "ended") {
      log.note(`The service ended this run (${stop.reason.status}); the engine was killed.`);
      await pusher.close(LOG_WINDOW_MS);
      return 1;
    }
    log.note(
      outcome.error === null ? `Run ended: ${outcome.status}` : `Run ended: ${outcome.status}. ${outcome.error}`,
    );
    await pusher.close(LOG_WINDOW_MS);
    const reported = await reportDone(api, outcome, mask, logger);
    liveness.end();
    await pusher.close(LATE_LOG_WINDOW_MS);
    return reported ? 0 : 1;
  } finally {
    cancelTimeout();
    liveness.end();
    log.close();
  }
}

/**
 * The run's log, or why there is none. A log that cannot be written any more stops the run: nobody would see what it
 * does.
 */
function openLog(
  directory: string,
  { limits }: RunContext,
  { logEscapes }: Pick<RunResources["settings"], "logEscapes">,
  forms: readonly Buffer[],
  stop: StopSignal,
): RunLog | string {
  const failed = (error: unknown) => `The run's log cannot be written: ${publicReason(error)}.`;
  const onFailure = (error: unknown) => stop.request({ kind: "no_room", why: failed(error) });
  try {
    return new RunLog(logFile(directory, limits.log_chunk_bytes), forms, limits.log_chunk_bytes, onFailure, logEscapes);
  } catch (error) {
    return failed(error);
  }
}

/** Never throws: whatever goes wrong is the run's outcome. */
async function work(resources: RunResources, logger: OwnLog): Promise<Outcome> {
  const { context, steps } = resources;
  const isApply = context.run.kind === "apply_run";
  try {
    const outcome = await execute(resources);
    // A cancelled plan is cancelled even when it was through already; an apply that happened is a fact
    // (docs/rules/deployments.md#cancelling).
    return steps.stop.reason?.kind === "cancelled" && !isApply ? stoppedOutcome(steps.stop.reason) : outcome;
  } catch (error) {
    if (error instanceof Stopped && steps.stop.reason !== null) return stoppedOutcome(steps.stop.reason);
    if (error instanceof RunFailed) return failure(error.message, error.exitCode);
    logger.error({ err: error }, "the run failed inside the runner");
    return failure(`The runner failed: ${publicReason(error)}.`, null);
  }
}

function execute(resources: RunResources): Promise<Outcome> {
  switch (resources.context.run.kind) {
    case "plan_run":
    case "destroy_run":
    case "refresh_run":
      return executePlan(resources);
    case "apply_run":
      return executeApply(resources);
    case "raw_run":
      return executeRaw(resources);
    default:
      throw new RunFailed(`This runner's version cannot execute a ${resources.context.run.kind}.`);
  }
}

function stoppedOutcome(reason: StopReason): Outcome {
  switch (reason.kind) {
    case "cancelled":
      return { status: "cancelled", exit_code: null, error: null };
    case "timed_out":
      return { status: "timed_out", exit_code: null, error: "The run reached its longest duration." };
    case "shut_down":
      return failure("The runner was shut down before the run ended.", null);
    case "no_room":
      return failure(reason.why, null);
    default:
      return failure("The runner lost its access to the service.", null);
  }
}

function failure(error: string, exitCode: number | null): Outcome {
  return { status: "failure", exit_code: exitCode, error };
}

/**
 * Interrupts the run a little before the service would end it, so that the engine can save its state while the lane is
 * still this run's. Returns how to call it off.
 */
function limitDuration(seconds: number, graceMs: number, stop: StopSignal): () => void {
  const limitMs = seconds * 1_000;
  const afterMs = limitMs - Math.min(graceMs, limitMs / 10);
  const timer = setTimeout(() => stop.request({ kind: "timed_out" }), Math.min(afterMs, MAX_TIMER_MS));
  return () => clearTimeout(timer);
}

function withCommit(found: Outcome, { commit, onBranch }: Findings): Outcome {
  const outcome = onBranch ? { ...found, on_branch: true } : found;
  return commit === null ? outcome : { ...outcome, commit };
}

/** Returns false when the service no longer takes this run's result. */
async function reportDone(
  api: RunnerApi,
  outcome: Outcome,
  mask: (text: string) => string,
  logger: OwnLog,
): Promise<boolean> {
  const body = maskedBody(outcome, mask);
  try {
    await persist(() => api.done(body), { windowMs: DONE_WINDOW_MS });
    return true;
  } catch (failed) {
    logger.error({ err: failed, status: outcome.status }, "the service does not take this run's result");
    const unfit = failed instanceof ServiceRefused && failed.code !== "run_already_terminal" && failed.status !== 401;
    if (!unfit || outcome.status !== "success") return false;
    // Left alone the run would hold its lane until the service gives this runner up for dead.
    return reportDone(
      api,
      failure(`The service refused the result: ${failed.message}`, outcome.exit_code),
      mask,
      logger,
    );
  }
}
