/** Where a stack's state is, below the API's address. */
export const STATE = "/api/v1/orgs/:org_id/stacks/:stack_id/state";
export const LOCK = `${STATE}/lock` as const;
export const VERSIONS = `${STATE}/versions` as const;
export const VERSION = `${VERSIONS}/:version_id` as const;

export type StackPath = { org_id: string; stack_id: string };
