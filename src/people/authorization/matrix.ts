/**
 * The valid (resource_type, action) pairs (docs/rules/permissions.md#the-pairs). A check names one of them; `*` is
 * legal only in grants.
 */

const MATRIX = {
  org: ["read", "update", "delete"],
  member: ["read", "create", "delete"],
  role: ["read", "create", "update", "delete", "assign"],
  service_account: ["read", "create", "update", "delete"],
  identity_source: ["read", "manage"],
  stack: [
    "read",
    "create",
    "update",
    "delete",
    "deploy",
    "confirm",
    "review",
    "break_glass",
    "preview",
    "prioritize",
    "run_command",
    "local_deploy",
    "read_state",
    "write_state",
    "read_outputs",
  ],
  stack_authz_group: ["assign"],
  cloud_integration: ["read", "update", "delete"],
  label: ["read", "create", "update"],
  context: ["read", "create", "update", "delete"],
  drift_schedule: ["read", "create", "update", "delete"],
  policy: ["read", "create", "update", "delete", "override"],
  approval_rule: ["read", "create", "update", "delete"],
  runner_group: ["read", "create", "update", "delete"],
  runner: ["read", "delete"],
  scm_integration: ["read", "create", "update", "delete"],
  notification_integration: ["read", "create", "update", "delete"],
} as const satisfies Record<string, readonly string[]>;

export type ResourceType = keyof typeof MATRIX;
export type Action<T extends ResourceType = ResourceType> = (typeof MATRIX)[T][number];

/** A check for a pair that does not exist: our own mistake, never a denial, so it ends as a 500. */
export class InvalidPermissionError extends TypeError {
  constructor(type: string, action: string) {
    super(`there is no permission (${type}, ${action})`);
    this.name = "InvalidPermissionError";
  }
}

/** @throws InvalidPermissionError for a pair outside the matrix, `*` included. */
export function assertPair(type: string, action: string): void {
  const actions: readonly string[] | undefined = Object.hasOwn(MATRIX, type) ? MATRIX[type as ResourceType] : undefined;
  if (!actions?.includes(action)) throw new InvalidPermissionError(type, action);
}

const TYPES = Object.keys(MATRIX) as ResourceType[];

/** What either place of a grant may say; which go together, `isGrantable` knows. */
export const GRANTABLE = { types: [...TYPES, "*"], actions: [...new Set<string>(Object.values(MATRIX).flat()), "*"] };

/** What a grant may say: any pair of the matrix, and `*` in either place as long as some pair is meant by it. */
export function isGrantable(type: string, action: string): boolean {
  const meant = type === "*" ? TYPES : TYPES.filter((each) => each === type);
  return meant.some((each) => action === "*" || (MATRIX[each] as readonly string[]).includes(action));
}

/** Every type with its actions, and what a grant on it may single out, for whoever makes roles. */
export function permissionTable() {
  return TYPES.map((type) => ({
    type,
    actions: [...MATRIX[type]] as string[],
    takes_pattern: takesPattern(type),
    takes_group: takesGroup(type),
  }));
}

/** Types whose resources a grant can single out by a pattern on the name; for all others a check names no resource. */
const NAMED: ReadonlySet<string> = new Set<ResourceType | "*">([
  "*",
  "stack",
  "stack_authz_group",
  "cloud_integration",
  "label",
  "runner_group",
  "runner",
]);
/** The stack family: a cloud integration counts through its stack (docs/rules/permissions.md#targets). */
const GROUPED: ReadonlySet<string> = new Set<ResourceType>(["stack", "cloud_integration"]);

/** Whether a grant on this type may carry a pattern. */
export function takesPattern(type: string): boolean {
  return NAMED.has(type);
}

/** Whether a grant on this type may carry an authorization group. */
export function takesGroup(type: string): boolean {
  return GROUPED.has(type);
}
