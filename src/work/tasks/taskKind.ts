/** The kinds of background tasks of an organization. */
export type TaskKind =
  /** Read a stack's newest analysis into its edges. Per stack. */
  | "dependency_graph_reconcile"
  /** The same for every stack of the organization. */
  | "dependency_graph_rebuild"
  /** Read a stack's newest analysis into the resource index of the explore database. Per stack. */
  | "resource_index_reconcile"
  /** The same for every stack of the organization. */
  | "resource_index_rebuild"
  /** Compute the organization's findings anew and tell when they changed. */
  | "org_findings_rebuild"
  /** Remove what the explore database holds of a stack, or of an organization, that is gone. */
  | "explore_purge";
