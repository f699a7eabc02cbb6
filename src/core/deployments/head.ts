/** How the commit of a stack's branch is found. Whoever mounts the routes hands in who asks the code host. */

/** The commit at a branch's head; git alone tells only its id. */
export type Head = { sha: string; message: string | null; author: string | null };

/** @throws BranchNotFoundError, RepositoryUnreachableError, and whatever the host's client throws */
export type HeadOf = (stack: { orgId: string; repositoryUrl: string; branch: string }) => Promise<Head>;
