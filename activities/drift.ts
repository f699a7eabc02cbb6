/** Adapter on the `tasks` queue: a step of an organization's checks for drift. */
import type { DriftDeps } from "../src/core/drift/begin.ts";
import { checkDrift } from "../src/core/drift/step.ts";
import type { DriftActivities } from "../workflows/views.ts";
import { beating } from "./beating.ts";

export function driftActivities(deps: DriftDeps): DriftActivities {
  return { checkDrift: (orgId) => beating(() => checkDrift(deps, orgId)) };
}
