/**
 * The ids of workflows, and the keys of what has no row id of its own (docs/rules/workflows.md#what-each-watches). A
 * leaf file: the service imports it.
 */

export const workflowIds = {
  deployment: (deploymentId: string) => `deployment/${deploymentId}`,
  lease: (runId: string) => `lease/${runId}`,
  /** `key` is that of `previewKey`. */
  preview: (key: string) => `pr/${key}`,
  /** `key` is that of `scmEventKey`. */
  scmEvent: (key: string) => `scm/${key}`,
  /** `key` is that of `taskKey`. */
  task: (key: string) => `task/${key}`,
  notification: (deliveryId: string) => `notify/${deliveryId}`,
  cascade: (parentDeploymentId: string) => `cascade/${parentDeploymentId}`,
  drift: (orgId: string) => `drift/${orgId}`,
  schedules: (orgId: string) => `schedules/${orgId}`,
  schedule: (job: string) => `schedule/${job}`,
};

/** Names a pull request on a stack: the stack's key, the hash of the repository's name, the request's number. */
export function previewKey(stackKey: string, repositoryHash: string, number: number): string {
  return `${stackKey}/${repositoryHash}/${number}`;
}

export type PreviewName = { stackKey: string; repositoryHash: string; number: number };

/** The parts of a `previewKey`, or null for other text. */
export function parsePreviewKey(key: string): PreviewName | null {
  const match = /^([0-9a-f-]{36})\/([0-9a-f]{16})\/(\d{1,9})$/.exec(key);
  return match && { stackKey: match[1] as string, repositoryHash: match[2] as string, number: Number(match[3]) };
}

/** Names a branch in an integration's inbox: the integration, the hashes of the repository's name and the branch's. */
export function scmEventKey(integrationId: string, repositoryHash: string, branchHash: string): string {
  return `${integrationId}/${repositoryHash}/${branchHash}`;
}

export type ScmEventName = { integrationId: string; repositoryHash: string; branchHash: string };

/** The parts of a `scmEventKey`, or null for other text. */
export function parseScmEventKey(key: string): ScmEventName | null {
  const match = /^([0-9a-f-]{36})\/([0-9a-f]{32})\/([0-9a-f]{32})$/.exec(key);
  return (
    match && {
      integrationId: match[1] as string,
      repositoryHash: match[2] as string,
      branchHash: match[3] as string,
    }
  );
}

/**
 * Names a background task: its kind, then the stack's key or, of kinds about a whole organization, the organization's
 * id.
 */
export function taskKey({ task, orgId, stackKey }: { task: string; orgId: string; stackKey: string | null }): string {
  return `${task}/${stackKey ?? orgId}`;
}

export type TaskName = { kind: string; subjectKey: string };

/** The parts of a `taskKey`, or null for other text. */
export function parseTaskKey(key: string): TaskName | null {
  const match = /^([a-z][a-z_]{1,60})\/([0-9a-f-]{36})$/.exec(key);
  return match && { kind: match[1] as string, subjectKey: match[2] as string };
}

export type RowKind =
  | "deployment"
  | "lease"
  | "preview"
  | "scmEvent"
  | "cascade"
  | "task"
  | "notification"
  | "drift"
  | "schedules";

/** Of ids that are a word and a row's id. */
const KIND_OF: Record<string, RowKind> = {
  deployment: "deployment",
  lease: "lease",
  cascade: "cascade",
  notify: "notification",
  drift: "drift",
  schedules: "schedules",
};

/** The kind and row id behind a workflow id, or null for one that is not ours. */
export function parseWorkflowId(id: string): { kind: RowKind; rowId: string } | null {
  if (id.startsWith("pr/")) return parsePreviewKey(id.slice(3)) && { kind: "preview", rowId: id.slice(3) };
  if (id.startsWith("scm/")) return parseScmEventKey(id.slice(4)) && { kind: "scmEvent", rowId: id.slice(4) };
  if (id.startsWith("task/")) return parseTaskKey(id.slice(5)) && { kind: "task", rowId: id.slice(5) };
  const match = /^(deployment|lease|cascade|notify|drift|schedules)\/([0-9a-f-]{36})$/.exec(id);
  return match ? { kind: KIND_OF[match[1] as string] as RowKind, rowId: match[2] as string } : null;
}
