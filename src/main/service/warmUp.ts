/**
 * What a worker does before it asks for its first task. That may be one of many deadlines that pass in the same
 * instant, and until each connection is open and has met the statements, the last of them would act a second late.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { CoreActivities } from "../../../workflows/views.ts";

/** No row has it. */
const NIL = "00000000-0000-0000-0000-000000000000";
/** With the database away the worker starts all the same. */
const LONGEST_MS = 3_000;

type Warmed = Pick<CoreActivities, "readDeployment" | "readRun" | "deploymentDeadline" | "runDeadline">;

/** Never rejects. @param connections of the pool that the activities use */
export async function warmUp(activities: Warmed, connections: number, longestMs = LONGEST_MS): Promise<void> {
  const { readDeployment, readRun, deploymentDeadline, runDeadline } = activities;
  const given = new AbortController();
  const eachConnection = async () => {
    // Round by round, so that in each round every connection has one of them.
    for (const activity of [runDeadline, deploymentDeadline, readRun, readDeployment]) {
      await Promise.all(Array.from({ length: connections }, () => activity(NIL)));
    }
  };
  await Promise.race([eachConnection(), sleep(longestMs, undefined, { signal: given.signal })]).catch(() => {});
  given.abort();
}
