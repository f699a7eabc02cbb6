/** What this version's workers can do. */
import { dependencyGraphRebuild, dependencyGraphReconcile } from "../../graph/dependencies/graphTasks.ts";
import { orgFindingsRebuild } from "../../graph/explore/findingsTask.ts";
import { explorePurge, resourceIndexRebuild, resourceIndexReconcile } from "../../graph/explore/indexTasks.ts";
import type { KindsOfWork } from "../../graph/tasks/kinds.ts";

export const KINDS_OF_WORK: KindsOfWork = {
  dependency_graph_reconcile: dependencyGraphReconcile,
  dependency_graph_rebuild: dependencyGraphRebuild,
  resource_index_reconcile: resourceIndexReconcile,
  resource_index_rebuild: resourceIndexRebuild,
  explore_purge: explorePurge,
  org_findings_rebuild: orgFindingsRebuild,
};
