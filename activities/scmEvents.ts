/** Adapter on the `scm` task queue: works on what arrived about a branch, with a heartbeat for as long as its host takes. */
import { heartbeat } from "@temporalio/activity";
import { type InboxDeps, processBranch } from "../src/exchange/scm/processBranch.ts";
import type { ScmEventActivities } from "../workflows/views.ts";

/** A quarter of the heartbeat timeout in `workflows/scmEvent.ts`. */
const BEAT_MS = 5_000;

export function scmEventActivities(deps: InboxDeps): ScmEventActivities {
  return {
    async processBranch(key) {
      const timer = setInterval(() => heartbeat(), BEAT_MS);
      try {
        return await processBranch(deps, key);
      } finally {
        clearInterval(timer);
      }
    },
  };
}
