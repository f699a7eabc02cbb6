/** Adapter on the `tasks` queue: one slice of a background task, with a heartbeat for as long as it takes. */
import { Context, heartbeat } from "@temporalio/activity";
import { runSlice, type TaskRunner } from "../src/graph/tasks/runSlice.ts";
import type { TaskActivities } from "../workflows/views.ts";

/** A quarter of the heartbeat timeout in `workflows/orgTask.ts`. */
const BEAT_MS = 5_000;

export function taskActivities(runner: TaskRunner): TaskActivities {
  return {
    async runTaskSlice(key) {
      const timer = setInterval(() => heartbeat(), BEAT_MS);
      try {
        return await runSlice(runner, key, Context.current().cancellationSignal);
      } finally {
        clearInterval(timer);
      }
    },
  };
}
