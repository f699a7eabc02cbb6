/**
 * What changing a setting needs besides (stack, update): whoever lets something happen by itself, or decides what it
 * works on, must be allowed to do it by hand (docs/access.md#what-a-setting-makes-happen). Pure.
 */
import type { Action } from "../../people/authorization/matrix.ts";
import type { SettingColumns } from "./settings.ts";

/**
 * What a setting decides: `source`: what a run executes; `labels`: in part where it runs; `conditions`: which requests
 * are planned by themselves, and where; `happens`: that something happens by itself; `commands`: what runs carry out
 * besides; `elsewhere`: checked on its own; `harmless`: how long things wait.
 */
const DECIDES = {
  repositoryUrl: "source",
  repositoryKey: "source",
  branch: "source",
  workingDirectory: "source",
  tool: "source",
  toolVersion: "source",
  stateMode: "source",
  labels: "labels",
  authzGroups: "elsewhere",
  prPlanMode: "happens",
  forkPreviews: "happens",
  autoApproveMode: "happens",
  deployOnPush: "happens",
  previewRunnerLabels: "conditions",
  forkRunnerLabels: "conditions",
  prRequirements: "conditions",
  hooks: "commands",
  queuedTimeoutMs: "harmless",
  confirmationTimeoutMs: "harmless",
  supersedeAgeMs: "harmless",
  maxRunDurationMs: "harmless",
} as const satisfies Record<keyof SettingColumns, string>;

type Automatic = Pick<
  SettingColumns,
  "autoApproveMode" | "prPlanMode" | "forkPreviews" | "deployOnPush" | "labels" | "hooks"
>;
type Need = Extract<Action<"stack">, "confirm" | "preview" | "deploy" | "run_command">;

/** Of a new stack. That pushes are planned is what every new stack begins with, and needs nothing. */
export function needsOfNew(settings: Automatic): Need[] {
  return [...(carriesOut(settings) ? ["run_command" as const] : []), ...previewsOrApplies(settings)];
}

/** Of a change, where `changed` holds the columns that get another value. */
export function needsOfChange(before: Automatic, changed: Partial<SettingColumns>): Need[] {
  const after = { ...before, ...changed };
  const columns = Object.keys(changed) as (keyof SettingColumns)[];
  const decides = (what: string) => columns.some((column) => DECIDES[column] === what);
  const needs = new Set<Need>();
  if ("autoApproveMode" in changed && approves(after)) needs.add("confirm");
  if (("prPlanMode" in changed && changed.prPlanMode === "auto") || changed.forkPreviews) needs.add("preview");
  if (changed.deployOnPush) needs.add("deploy");
  if (decides("conditions") && previews(after)) needs.add("preview");
  if (decides("commands") && carriesOut(after)) needs.add("run_command");
  if (decides("source") || decides("commands") || (decides("labels") && runnerLabels(before) !== runnerLabels(after))) {
    for (const need of [...previewsOrApplies(before), ...previewsOrApplies(after)]) needs.add(need);
  }
  return [...needs];
}

function previewsOrApplies(settings: Automatic): Need[] {
  return [...(approves(settings) ? ["confirm" as const] : []), ...(previews(settings) ? ["preview" as const] : [])];
}

const approves = ({ autoApproveMode = "manual" }: Automatic) => autoApproveMode !== "manual";
const carriesOut = ({ hooks = {} }: Automatic) => Object.keys(hooks).length > 0;
const previews = ({ prPlanMode, forkPreviews }: Automatic) => prPlanMode === "auto" || forkPreviews === true;

/** Those that select a runner group, in one order. */
function runnerLabels({ labels = {} }: Automatic): string {
  const selecting = Object.entries(labels).filter(([key]) => key.startsWith("svc:runner-group:"));
  return JSON.stringify(selecting.sort(([a], [b]) => (a < b ? -1 : 1)));
}
