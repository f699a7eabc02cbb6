/**
 * Under which keys what was read is kept. They nest, so that a hint about a deployment reaches all that was read of it.
 * What never changes once it is there, such as a plan, stands outside of the deployment: `plan`, `log`, `stateChanges`.
 */
export const keys = {
  me: ["me"] as const,
  orgs: ["orgs"] as const,
  org: (org: string) => ["orgs", org] as const,
  overview: (org: string) => ["orgs", org, "overview"] as const,
  /** Lists of deployments of all stacks. */
  deployments: (org: string) => ["orgs", org, "deployments"] as const,
  stacks: (org: string) => ["orgs", org, "stacks"] as const,
  stackList: (org: string) => ["orgs", org, "stacks", "list"] as const,
  stack: (org: string, stack: string) => ["orgs", org, "stacks", "one", stack] as const,
  /** Its queue, its list of deployments, and other things that follow its deployments. */
  stackWork: (org: string, stack: string) => ["orgs", org, "stacks", "one", stack, "work"] as const,
  deployment: (org: string, stack: string, id: string) =>
    ["orgs", org, "stacks", "one", stack, "deployment", id] as const,
  plan: (org: string, runId: string) => ["orgs", org, "plan", runId] as const,
  log: (org: string, id: string) => ["orgs", org, "log", id] as const,
  stateChanges: (org: string, stack: string) => ["orgs", org, "stateChanges", stack] as const,
};
