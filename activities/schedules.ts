/** Adapter on the `cascade` queue: a step of what an organization has by schedule. */
import type { ScheduleDeps } from "../src/core/schedules/make.ts";
import { runSchedules } from "../src/core/schedules/step.ts";
import type { ScheduleActivities } from "../workflows/views.ts";
import { beating } from "./beating.ts";

export function scheduleActivities(deps: ScheduleDeps): ScheduleActivities {
  return { runSchedules: (orgId) => beating(() => runSchedules(deps, orgId)) };
}
