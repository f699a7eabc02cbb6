/** One change of a plan as the service lists it, and what its values may say instead of themselves. */

export type ChangeKind = "resource" | "drift" | "output" | "action";
export type ChangeAction =
  | "add"
  | "change"
  | "destroy"
  | "replace"
  | "import"
  | "forget"
  | "move"
  | "read"
  | "invoke"
  | "other";

export type Path = readonly (string | number)[];

export type PlanChange = {
  kind: ChangeKind;
  address: string;
  previous_address?: string;
  triggered_by?: string;
  type: string;
  provider: string;
  action: ChangeAction;
  actions: readonly string[];
  reason?: string;
  replace_paths?: readonly Path[];
  hidden_changes?: readonly Path[];
  before: unknown;
  after: unknown;
};

const UNKNOWN = "(known after apply)";
const SENSITIVE = "(sensitive value)";
const TOO_LARGE = /^\(too large to show: \d+ characters\)$/;

export type Veil = "unknown" | "sensitive" | "too large";

/** What stands where a value is not shown; null for a value. */
export function veilOf(value: unknown): Veil | null {
  if (value === UNKNOWN) return "unknown";
  if (value === SENSITIVE) return "sensitive";
  return typeof value === "string" && TOO_LARGE.test(value) ? "too large" : null;
}
