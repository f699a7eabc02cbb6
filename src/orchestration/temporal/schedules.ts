/** The Schedules behind the periodic jobs, made by whichever process comes first and again when they are gone. */
import { ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from "@temporalio/client";
import { JOBS, type Job, TASK_QUEUES } from "../../../workflows/contract.ts";
import { workflowIds } from "../../../workflows/ids.ts";
import type { Temporal } from "./client.ts";
import { unavailable } from "./errors.ts";

const CALL_MS = 5_000;

/**
 * Create the missing Schedules; one whose interval was changed by a new version is updated. @throws TemporalUnavailable
 */
export async function ensureSchedules({ sdk }: Pick<Temporal, "sdk">): Promise<void> {
  for (const job of Object.keys(JOBS) as Job[]) {
    try {
      await sdk.withDeadline(Date.now() + CALL_MS, () => ensureSchedule(sdk, job));
    } catch (error) {
      throw unavailable(error);
    }
  }
}

async function ensureSchedule(sdk: Temporal["sdk"], job: Job): Promise<void> {
  const { everyMs } = JOBS[job];
  const handle = sdk.schedule.getHandle(workflowIds.schedule(job));
  try {
    const { spec } = await handle.describe();
    if (spec.intervals?.[0]?.every === everyMs) return;
    await handle.update((previous) => ({ ...previous, spec: { intervals: [{ every: everyMs }] } }));
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
    await createSchedule(sdk, job);
  }
}

async function createSchedule(sdk: Temporal["sdk"], job: Job): Promise<void> {
  try {
    await sdk.schedule.create({
      scheduleId: workflowIds.schedule(job),
      spec: { intervals: [{ every: JOBS[job].everyMs }] },
      // A pass that is late is not made up for, and two never run at once: each looks at everything there is.
      policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: "1 minute" },
      action: { type: "startWorkflow", workflowType: job, workflowId: job, taskQueue: TASK_QUEUES.core, args: [] },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}

/**
 * Run a job now; where it is running, once more after that: what asks for it may have come up since it looked.
 * @throws TemporalUnavailable, also when the Schedule is missing
 */
export async function runJobNow({ sdk }: Pick<Temporal, "sdk">, job: Job): Promise<void> {
  try {
    await sdk.withDeadline(Date.now() + CALL_MS, () =>
      sdk.schedule.getHandle(workflowIds.schedule(job)).trigger(ScheduleOverlapPolicy.BUFFER_ONE),
    );
  } catch (error) {
    throw unavailable(error);
  }
}
