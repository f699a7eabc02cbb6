import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import type { operations } from "../../../../clients/api/schema.d.ts";
import { api } from "../../data/api.ts";
import { approvalRulesKey } from "../../data/approvals.ts";
import type { ApprovalRule } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Check, Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { labelLines, readLabels } from "../../ui/labelText.ts";
import css from "./ApprovalRuleDialog.module.css";
import { ApproverFields } from "./ApproverFields.tsx";

type Body = NonNullable<operations["createApprovalRule"]["requestBody"]>["content"]["application/json"];
type Props = { org: string; rule: ApprovalRule | null; onClose: () => void };

const MODES = [
  ["plan", "Plans"],
  ["destroy", "Destroys"],
  ["refresh", "Refreshes"],
] as const;
type Draft = Omit<ApprovalRule, "id" | "org_id" | "created_at" | "updated_at">;
const NEW: Draft = {
  ...{ name: "", selector: {}, modes: ["plan", "destroy", "refresh"], previews: false, destructive: false, count: 1 },
  ...{ approvers: { roles: [], groups: [], service_accounts: [] }, deadline: null, remind_every: null },
};

export function ApprovalRuleDialog({ org, rule, onClose }: Props) {
  const [draft, setDraft] = useState<Draft>(rule ?? NEW);
  const [selector, setSelector] = useState(labelLines(draft.selector));
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const save = useWrite(
    (body: Body, headers) =>
      rule === null
        ? answerOf(
            api.POST("/api/v1/orgs/{org_id}/approval-rules", { params: { path: { org_id: org } }, body, headers }),
          )
        : answerOf(
            api.PUT("/api/v1/orgs/{org_id}/approval-rules/{approval_rule_id}", {
              params: { path: { org_id: org, approval_rule_id: rule.id } },
              body,
              headers,
            }),
          ),
    {
      changes: [approvalRulesKey(org)],
      onDone: () => {
        toast("Saved: it counts at once");
        onClose();
      },
    },
  );
  const wrong = fieldErrors(save.error);
  const { name, modes, previews, destructive, count, approvers, deadline, remind_every } = draft;
  const toggled = <T,>(list: readonly T[], one: T, on: boolean) => [
    ...list.filter((each) => each !== one),
    ...(on ? [one] : []),
  ];
  const duration = (text: string) => (text.trim() === "" ? null : text.trim());
  return (
    <FormDialog
      title={rule === null ? "New approval rule" : `Rule ${rule.name}`}
      submit={rule === null ? "Make the rule" : "Save"}
      busy={save.isPending}
      error={save.error}
      onSubmit={() =>
        save.mutate({
          ...{ name: name.trim(), selector: readLabels(selector), modes, previews, destructive, count },
          ...{ approvers, deadline, remind_every },
        })
      }
      onClose={onClose}
      wide
    >
      <Field label="Name" error={wrong.get("name")}>
        <input value={name} required maxLength={100} onChange={(event) => set({ name: event.target.value })} />
      </Field>
      <Field
        label="Labels that a stack must have"
        hint="One key=value on a line. Empty for every stack."
        error={wrong.get("selector")}
      >
        <textarea value={selector} rows={2} spellCheck={false} onChange={(event) => setSelector(event.target.value)} />
      </Field>
      <fieldset className={css.group}>
        <legend>Which plans</legend>
        {MODES.map(([mode, label]) => (
          <Check
            key={mode}
            label={label}
            checked={modes.includes(mode)}
            onChange={(on) => set({ modes: toggled(modes, mode, on) })}
          />
        ))}
        <Check label="Starts of previews" checked={previews} onChange={(on) => set({ previews: on })} />
        <Check
          label="Only what destroys something"
          hint="Or is not known not to."
          checked={destructive}
          onChange={(on) => set({ destructive: on })}
        />
      </fieldset>
      <Field label="Approvals" error={wrong.get("count")}>
        <input
          type="number"
          value={count}
          min={1}
          max={10}
          required
          onChange={(event) => set({ count: event.target.valueAsNumber })}
        />
      </Field>
      <ApproverFields org={org} approvers={approvers} onChange={(next) => set({ approvers: next })} />
      <Field label="Skipped without them after" hint="Such as P2D; empty for never." error={wrong.get("deadline")}>
        <input value={deadline ?? ""} onChange={(event) => set({ deadline: duration(event.target.value) })} />
      </Field>
      <Field label="Reminder every" hint="Such as PT4H; empty for none." error={wrong.get("remind_every")}>
        <input value={remind_every ?? ""} onChange={(event) => set({ remind_every: duration(event.target.value) })} />
      </Field>
    </FormDialog>
  );
}
