/** Adapter on the `cascade` task queue: resolves the dependents of an apply, with a heartbeat for as long as their hosts take. */
import { heartbeat } from "@temporalio/activity";
import { type CascadeDeps, resolveDependents } from "../src/graph/cascade/resolveDependents.ts";
import type { CascadeActivities } from "../workflows/views.ts";

/** A quarter of the heartbeat timeout in `workflows/dependentCascade.ts`. */
const BEAT_MS = 5_000;

export function cascadeActivities(deps: CascadeDeps): CascadeActivities {
  return {
    async resolveDependents(parentDeploymentId, waitedMs) {
      const timer = setInterval(() => heartbeat(), BEAT_MS);
      try {
        return await resolveDependents(deps, parentDeploymentId, waitedMs);
      } finally {
        clearInterval(timer);
      }
    },
  };
}
