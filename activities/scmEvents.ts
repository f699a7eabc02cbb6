/**
 * Adapter on the `scm` task queue: works on what arrived about a branch, with a heartbeat for as long as its host
 * takes.
 */
import { type InboxDeps, processBranch } from "../src/exchange/scm/processBranch.ts";
import type { ScmEventActivities } from "../workflows/views.ts";
import { beating } from "./beating.ts";

export function scmEventActivities(deps: InboxDeps): ScmEventActivities {
  return {
    processBranch: (key) => beating(() => processBranch(deps, key)),
  };
}
