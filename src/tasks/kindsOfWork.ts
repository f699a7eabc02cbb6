/** What this version's workers can do. */
import { explorePurge, resourceIndexRebuild, resourceIndexReconcile } from "../explore/indexTasks.ts";
import type { KindsOfWork } from "./kinds.ts";

export const KINDS_OF_WORK: KindsOfWork = {
  resource_index_reconcile: resourceIndexReconcile,
  resource_index_rebuild: resourceIndexRebuild,
  explore_purge: explorePurge,
};
