/** The settings of a stack, for making one and for changing one. */
import { Check, Field } from "../Field.tsx";
import { Conditions } from "./Conditions.tsx";
import type { Draft, RequirementField, TextField } from "./draft.ts";
import css from "./StackFields.module.css";

type Props = {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  /** What is wrong with a field, as the service says. */
  errors: ReadonlyMap<string, string>;
  disabled?: boolean;
};

type Choice = { value: string; label: string };
const TOOLS: readonly Choice[] = [
  { value: "terraform", label: "Terraform" },
  { value: "tofu", label: "OpenTofu" },
];
const STATES: readonly Choice[] = [
  { value: "auto", label: "Here, if no backend is named" },
  { value: "hosted", label: "Here, whatever the code says" },
  { value: "own", label: "Elsewhere" },
];
const APPROVALS: readonly Choice[] = [
  { value: "manual", label: "A person confirms each plan" },
  { value: "non_destructive", label: "By itself, unless something is destroyed or replaced" },
  { value: "auto", label: "By itself, always" },
];
const PREVIEWS: readonly Choice[] = [
  { value: "manual", label: "When somebody asks" },
  { value: "auto", label: "For each push to a pull request" },
];
const DURATION = "As ISO 8601: PT30M, P2D. Empty: as the installation has it";

export function StackFields({ draft, onChange, errors, disabled = false }: Props) {
  const text = (field: TextField) => ({
    value: draft[field],
    disabled,
    spellCheck: false,
    onChange: (event: { target: { value: string } }) => onChange({ [field]: event.target.value }),
  });
  const input = (field: TextField, label: string, hint?: string) => (
    <Field label={label} hint={hint} error={errors.get(field)}>
      <input {...text(field)} />
    </Field>
  );
  const labels = (field: TextField, label: string, hint: string) => (
    <Field label={label} hint={hint} error={errors.get(field)}>
      <textarea {...text(field)} rows={2} />
    </Field>
  );
  const script = (field: TextField, label: string) => (
    <Field label={label} error={errors.get(`hooks.${field}`)}>
      <textarea {...text(field)} rows={2} />
    </Field>
  );
  const select = (field: TextField, label: string, options: readonly Choice[]) => (
    <Field label={label} error={errors.get(field)}>
      <select {...text(field)}>
        {options.map(({ value, label: word }) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
    </Field>
  );
  const check = (field: "deploy_on_push" | "fork_previews", label: string, hint: string) => (
    <Check
      label={label}
      hint={hint}
      checked={draft[field]}
      disabled={disabled}
      onChange={(on) => onChange({ [field]: on })}
    />
  );
  const conditions = (field: RequirementField, legend: string, hint: string) => (
    <Conditions
      {...{ legend, hint, disabled }}
      value={draft[field]}
      error={errors.get("pr_requirements")}
      onChange={(value) => onChange({ [field]: value })}
    />
  );
  return (
    <>
      <fieldset className={css.group}>
        <legend>Source</legend>
        {input("name", "Name")}
        {input("repository_url", "Repository", "https, ssh or file address")}
        {input("branch", "Branch")}
        {input("working_directory", "Folder in it", "Empty: its root")}
        {select("tool", "Engine", TOOLS)}
        {input("tool_version", "Version", "Empty: what the runner has")}
        {select("state_mode", "State is kept", STATES)}
      </fieldset>
      <fieldset className={css.group}>
        <legend>When</legend>
        {select("auto_approve_mode", "Applies", APPROVALS)}
        {check("deploy_on_push", "Deploy on push", "Each push to the branch that touches its folder")}
      </fieldset>
      <fieldset className={css.group}>
        <legend>Pull requests</legend>
        {select("pr_plan_mode", "Previews", PREVIEWS)}
        {check("fork_previews", "Preview forks too", "Code of strangers runs on your runners, without secrets")}
        {conditions("pr_plan", "Previewed only once", "None ticked: without a condition")}
        {conditions("pr_promote", "Promoted only while", "None ticked: whenever the preview is current")}
      </fieldset>
      <fieldset className={css.group}>
        <legend>Who and where</legend>
        {labels("labels", "Labels", "key=value, one a line. They choose the runner group, and are filters")}
        {input("authz_groups", "Groups", "Roles are given for them; a comma between two")}
        {labels("preview_runner_labels", "Runner labels of previews", "Empty: as the stack")}
        {labels("fork_runner_labels", "Runner labels of forks' previews", "Empty: as previews")}
      </fieldset>
      <fieldset className={css.group}>
        <legend>Commands beside a run, which whoever may read the stack can read</legend>
        {script("before_plan", "Before the plan")}
        {script("after_plan", "After the plan")}
        {script("before_apply", "Before the apply")}
        {script("after_apply", "After the apply")}
      </fieldset>
      <fieldset className={css.group}>
        <legend>For how long</legend>
        {input("queued_timeout", "In the queue", DURATION)}
        {input("confirmation_timeout", "Waiting for a person", DURATION)}
        {input("supersede_age", "Until a newer push replaces a waiting plan", DURATION)}
        {input("max_run_duration", "One run", DURATION)}
      </fieldset>
    </>
  );
}
