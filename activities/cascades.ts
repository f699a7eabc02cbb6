/**
 * Adapter on the `cascade` task queue: resolves the dependents of an apply, with a heartbeat for as long as their hosts
 * take.
 */
import { type CascadeDeps, resolveDependents } from "../src/graph/cascade/resolveDependents.ts";
import type { CascadeActivities } from "../workflows/views.ts";
import { beating } from "./beating.ts";

export function cascadeActivities(deps: CascadeDeps): CascadeActivities {
  return {
    resolveDependents: (parentDeploymentId, waitedMs) =>
      beating(() => resolveDependents(deps, parentDeploymentId, waitedMs)),
  };
}
