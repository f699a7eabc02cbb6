/** How the commit of a deployment is found. Whoever mounts the routes hands in who asks the code host. */

/** A commit; git alone tells only its id. */
export type Head = {
  sha: string;
  message: string | null;
  author: string | null;
  /** Of one that was named by its id: whether the branch has it in its history. Left out when nobody can tell. */
  onBranch?: boolean | undefined;
};

/**
 * The head of the stack's branch, or the commit of its repository that `named` leads to: an id may be a tag's, a tree's
 * or nothing's. Where no host can be asked an id is taken as it is, and the runner looks at it.
 * @throws BranchNotFoundError, CommitNotFoundError, RepositoryUnreachableError, and whatever the host's client throws
 */
export type HeadOf = (stack: { orgId: string; repositoryUrl: string; branch: string }, named?: string) => Promise<Head>;
