/** What has to be settled after an ephemeral runner died: its run. */
import type { PollAnswer } from "../../src/core/runs/protocol.ts";
import { openDeadLog } from "../output/deadLog.ts";
import type { OwnLog } from "../output/ownLog.ts";
import { persist } from "../service/retry.ts";
import { RunnerApi } from "../service/runnerApi.ts";
import { ServiceClient } from "../service/serviceClient.ts";

const REPORT_WINDOW_MS = 120_000;
const LOG_WINDOW_MS = 10_000;
const LATE_LOG_WINDOW_MS = 30_000;

/**
 * Reports the run of a dead runner as failed, after the rest of its log. Without this its lane would wait until the
 * service gives the runner up, an hour by default. A run that was never accepted or is over refuses it, which is right.
 */
export async function reportDeath(
  serviceUrl: string,
  assignment: PollAnswer,
  token: () => Promise<string> | string,
  directory: string | null,
  logger: OwnLog,
  signal?: AbortSignal,
): Promise<void> {
  const { run_id: runId, runner_id: runnerId } = assignment;
  const api = new RunnerApi(new ServiceClient(serviceUrl, token), runnerId, runId);
  const error = "The runner process died while the run was going on.";
  const log = openDeadLog(directory, error, api, logger);
  const windows = { windowMs: REPORT_WINDOW_MS, unauthorizedWindowMs: REPORT_WINDOW_MS };
  try {
    await log.push(LOG_WINDOW_MS);
    await persist(() => api.done({ status: "failure", exit_code: null, error }), {
      ...windows,
      ...(signal === undefined ? {} : { signal }),
    });
    // A long log is not waited for: what of it the service has already is only asked about again.
    await log.push(LATE_LOG_WINDOW_MS);
    await api.deregister();
  } catch (failed) {
    logger.warn({ err: failed, runId }, "could not report the run of a dead runner");
  } finally {
    log.close();
  }
}
