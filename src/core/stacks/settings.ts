/** The settings of a stack on the wire, and the columns they are stored in. */
import * as v from "valibot";
import { displayName } from "../../http/textFields.ts";
import {
  AuthzGroupsField,
  BranchField,
  HooksField,
  labelsField,
  PolicyField,
  PrRequirementsField,
  RepositoryUrlField,
  ToolVersionField,
  WorkingDirectoryField,
} from "./fields.ts";
import { repositoryKey } from "./repositoryUrl.ts";
import { AUTO_APPROVE_MODES, PR_PLAN_MODES, STATE_MODES, type StackInsert, TOOLS } from "./schema.ts";

/** As a runner group has them. Of a group that must have none of them: the organization's default one. */
const RunnerLabels = labelsField({ systemKeys: false });
const REQUIRED = { repository_url: RepositoryUrlField, branch: BranchField };

/** Each optional setting with what it is when left out of a create or a PUT. */
const OPTIONAL = {
  working_directory: v.optional(WorkingDirectoryField, "."),
  tool: v.optional(v.picklist(TOOLS), "terraform"),
  tool_version: v.optional(v.nullable(ToolVersionField), null),
  labels: v.optional(labelsField({ systemKeys: true }), {}),
  authz_groups: v.optional(AuthzGroupsField, []),
  pr_plan_mode: v.optional(v.picklist(PR_PLAN_MODES), "manual"),
  auto_approve_mode: v.optional(v.picklist(AUTO_APPROVE_MODES), "manual"),
  state_mode: v.optional(v.picklist(STATE_MODES), "auto"),
  deploy_on_push: v.optional(v.boolean(), true),
  fork_previews: v.optional(v.boolean(), false),
  preview_runner_labels: v.optional(v.nullable(RunnerLabels), null),
  fork_runner_labels: v.optional(v.nullable(RunnerLabels), null),
  pr_requirements: v.optional(PrRequirementsField, {}),
  hooks: v.optional(HooksField, {}),
  queued_timeout: v.optional(PolicyField, null),
  confirmation_timeout: v.optional(PolicyField, null),
  supersede_age: v.optional(PolicyField, null),
  max_run_duration: v.optional(PolicyField, null),
};

/** Body of POST; the stack's id comes from the name. */
export const CreateStackBody = v.strictObject({ name: displayName(100), ...REQUIRED, ...OPTIONAL });
/** Body of PUT: settings as a whole, absent means default; the name stays unless one is sent. */
export const PutStackBody = v.strictObject({ name: v.optional(displayName(100)), ...REQUIRED, ...OPTIONAL });
/** Body of PATCH: only what is sent changes. */
export const PatchStackBody = v.strictObject({
  name: v.optional(displayName(100)),
  repository_url: v.optional(RepositoryUrlField),
  branch: v.optional(BranchField),
  working_directory: v.optional(WorkingDirectoryField),
  tool: v.optional(v.picklist(TOOLS)),
  tool_version: v.optional(v.nullable(ToolVersionField)),
  labels: v.optional(labelsField({ systemKeys: true })),
  authz_groups: v.optional(AuthzGroupsField),
  pr_plan_mode: v.optional(v.picklist(PR_PLAN_MODES)),
  auto_approve_mode: v.optional(v.picklist(AUTO_APPROVE_MODES)),
  state_mode: v.optional(v.picklist(STATE_MODES)),
  deploy_on_push: v.optional(v.boolean()),
  fork_previews: v.optional(v.boolean()),
  preview_runner_labels: v.optional(v.nullable(RunnerLabels)),
  fork_runner_labels: v.optional(v.nullable(RunnerLabels)),
  pr_requirements: v.optional(PrRequirementsField),
  hooks: v.optional(HooksField),
  queued_timeout: v.optional(PolicyField),
  confirmation_timeout: v.optional(PolicyField),
  supersede_age: v.optional(PolicyField),
  max_run_duration: v.optional(PolicyField),
});

export type StackSettings = v.InferOutput<typeof PutStackBody>;
export type StackChanges = v.InferOutput<typeof PatchStackBody>;

const COLUMNS = {
  repository_url: "repositoryUrl",
  branch: "branch",
  working_directory: "workingDirectory",
  tool: "tool",
  tool_version: "toolVersion",
  labels: "labels",
  authz_groups: "authzGroups",
  pr_plan_mode: "prPlanMode",
  auto_approve_mode: "autoApproveMode",
  state_mode: "stateMode",
  deploy_on_push: "deployOnPush",
  fork_previews: "forkPreviews",
  preview_runner_labels: "previewRunnerLabels",
  fork_runner_labels: "forkRunnerLabels",
  pr_requirements: "prRequirements",
  hooks: "hooks",
  queued_timeout: "queuedTimeoutMs",
  confirmation_timeout: "confirmationTimeoutMs",
  supersede_age: "supersedeAgeMs",
  max_run_duration: "maxRunDurationMs",
} as const satisfies Record<Exclude<keyof StackSettings, "name">, keyof StackInsert>;

export type SettingColumns = Pick<StackInsert, (typeof COLUMNS)[keyof typeof COLUMNS] | "repositoryKey">;

/** The columns of the settings that are present; the key of the repository goes with its address. */
export function columnsOf(settings: StackSettings): SettingColumns;
export function columnsOf(settings: StackChanges): Partial<SettingColumns>;
export function columnsOf(settings: StackChanges): Partial<SettingColumns> {
  const present = Object.entries(COLUMNS).filter(([field]) => settings[field as keyof StackChanges] !== undefined);
  const columns = Object.fromEntries(present.map(([field, column]) => [column, settings[field as keyof StackChanges]]));
  const { repository_url: url } = settings;
  return url === undefined ? columns : { ...columns, repositoryKey: repositoryKey(url) };
}
