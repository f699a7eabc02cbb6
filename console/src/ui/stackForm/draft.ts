/** A stack's settings as a form holds them, where lists and labels are text. Pure. */
import type { components, operations } from "../../../../clients/api/schema.d.ts";

export type Stack = components["schemas"]["Stack"];
export type StackBody = operations["createStack"]["requestBody"] extends infer B
  ? NonNullable<B> extends { content: { "application/json": infer J } }
    ? J
    : never
  : never;

const TEXTS = ["name", "repository_url", "branch", "working_directory", "tool_version"] as const;
const DURATIONS = ["queued_timeout", "confirmation_timeout", "supersede_age", "max_run_duration"] as const;
const CHOICES = ["tool", "state_mode", "pr_plan_mode", "auto_approve_mode"] as const;
const SWITCHES = ["deploy_on_push", "fork_previews"] as const;
/** What a pull request may have to be, in the order in which it is said. */
export const CONDITIONS = ["approved", "mergeable", "checks_passed"] as const;
export type Condition = (typeof CONDITIONS)[number];
/** Conditions of a preview and of a promotion, with a comma between two. */
const REQUIREMENTS = { pr_plan: "plan", pr_promote: "promote" } as const;
export type RequirementField = keyof typeof REQUIREMENTS;
const REQUIRED = Object.keys(REQUIREMENTS) as RequirementField[];
const HOOKS = ["before_plan", "after_plan", "before_apply", "after_apply"] as const;
const LABELS = ["labels", "preview_runner_labels", "fork_runner_labels"] as const;
export type TextField =
  | (typeof TEXTS)[number]
  | (typeof DURATIONS)[number]
  | (typeof CHOICES)[number]
  | (typeof LABELS)[number]
  | (typeof HOOKS)[number]
  | RequirementField
  | "authz_groups";
export type Draft = Record<TextField, string> & Record<(typeof SWITCHES)[number], boolean>;

/** As the service has it where nothing is said. */
export const EMPTY_DRAFT: Draft = {
  ...{ name: "", repository_url: "", branch: "main", working_directory: "", tool_version: "", tool: "terraform" },
  state_mode: "auto",
  ...{ queued_timeout: "", confirmation_timeout: "", supersede_age: "", max_run_duration: "" },
  ...{ pr_plan_mode: "manual", auto_approve_mode: "manual", deploy_on_push: true, fork_previews: false },
  ...{ pr_plan: "", pr_promote: "" },
  ...{ before_plan: "", after_plan: "", before_apply: "", after_apply: "" },
  ...{ labels: "", preview_runner_labels: "", fork_runner_labels: "", authz_groups: "" },
};

export function draftOf(stack: Stack): Draft {
  const draft = { ...EMPTY_DRAFT };
  for (const field of [...TEXTS, ...DURATIONS, ...CHOICES]) draft[field] = stack[field] ?? "";
  for (const field of SWITCHES) draft[field] = stack[field];
  for (const field of LABELS) draft[field] = labelText(stack[field]);
  for (const field of HOOKS) draft[field] = stack.hooks[field] ?? "";
  for (const field of REQUIRED) draft[field] = conditionText(stack.pr_requirements[REQUIREMENTS[field]] ?? []);
  return { ...draft, authz_groups: stack.authz_groups.join(", ") };
}

/** What of the draft differs from where it began, as the service takes it. */
export function changesOf(before: Draft, after: Draft): Partial<StackBody> {
  const changed = (field: keyof Draft) => before[field] !== after[field];
  const set: Record<string, unknown> = {};
  for (const field of TEXTS.slice(0, 4).filter(changed)) set[field] = after[field].trim();
  for (const field of CHOICES.filter(changed)) set[field] = after[field];
  for (const field of SWITCHES.filter(changed)) set[field] = after[field];
  for (const field of (["tool_version", ...DURATIONS] as const).filter(changed))
    set[field] = after[field].trim() || null;
  for (const field of LABELS.filter(changed)) {
    const labels = labelsOf(after[field]);
    set[field] = field !== "labels" && Object.keys(labels).length === 0 ? null : labels;
  }
  if (REQUIRED.some(changed)) {
    set.pr_requirements = { plan: conditionsOf(after.pr_plan), promote: conditionsOf(after.pr_promote) };
  }
  if (HOOKS.some(changed))
    set.hooks = Object.fromEntries(HOOKS.flatMap((hook) => (after[hook].trim() === "" ? [] : [[hook, after[hook]]])));
  if (changed("authz_groups")) set.authz_groups = after.authz_groups.split(/[\s,]+/).filter(Boolean);
  return set as Partial<StackBody>;
}

export function conditionsOf(text: string): Condition[] {
  return CONDITIONS.filter((condition) => text.split(",").includes(condition));
}

/** Always in the same order, so that what was put back is no change. */
export function conditionText(conditions: readonly Condition[]): string {
  return CONDITIONS.filter((condition) => conditions.includes(condition)).join(",");
}

function labelText(labels: Readonly<Record<string, unknown>> | null): string {
  return Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${String(value)}`)
    .join("\n");
}

/** A line or a comma between two. What has no `=` is a key with an empty value, which the service refuses by name. */
function labelsOf(text: string): Record<string, string> {
  const pairs = text.split(/[\n,]+/).map((line) => line.trim());
  return Object.fromEntries(
    pairs.filter(Boolean).map((pair) => {
      const [key = "", ...value] = pair.split("=");
      return [key.trim(), value.join("=").trim()];
    }),
  );
}
