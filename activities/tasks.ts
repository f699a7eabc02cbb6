/** Adapter on the `tasks` queue: one slice of a background task, with a heartbeat for as long as it takes. */
import { Context } from "@temporalio/activity";
import { runSlice, type TaskRunner } from "../src/graph/tasks/runSlice.ts";
import type { TaskActivities } from "../workflows/views.ts";
import { beating } from "./beating.ts";

export function taskActivities(runner: TaskRunner): TaskActivities {
  return {
    runTaskSlice: (key) => beating(() => runSlice(runner, key, Context.current().cancellationSignal)),
  };
}
