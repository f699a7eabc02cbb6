import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { policiesKey, policyVersionQuery } from "../../data/policies.ts";
import type { Policy, PolicyRules } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { type Draft, draftOf, rulesOf } from "./draft.ts";

type Props = { org: string; policy: Policy; onClose: () => void };

/** Another version of rules, begun with those of the newest one. */
export function RulesDialog({ org, policy, onClose }: Props) {
  const newest = useQuery({
    ...policyVersionQuery(org, policy.id, policy.last_version),
    enabled: policy.last_version > 0,
  });
  if (policy.last_version > 0 && newest.data === undefined && !newest.isError) return null;
  return <Form org={org} policy={policy} rules={newest.data?.rules ?? null} onClose={onClose} />;
}

function Form({ org, policy, rules, onClose }: Props & { rules: PolicyRules | null }) {
  const [draft, setDraft] = useState(() => draftOf(rules));
  const save = useWrite(
    (body: { rules: PolicyRules }, headers) =>
      answerOf(
        api.POST("/api/v1/orgs/{org_id}/policies/{policy_id}/versions", {
          params: { path: { org_id: org, policy_id: policy.id } },
          body,
          headers,
        }),
      ),
    {
      changes: [policiesKey(org)],
      onDone: ({ version }) => {
        toast(`Version ${version} is stored. Test it, then let it count.`);
        onClose();
      },
    },
  );
  const text = (field: Exclude<keyof Draft, "rest">) => ({
    value: draft[field],
    spellCheck: false,
    onChange: ({ target }: { target: { value: string } }) => setDraft({ ...draft, [field]: target.value }),
  });
  return (
    <FormDialog
      title={`Rules of ${policy.name}`}
      submit="Store as a new version"
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate({ rules: rulesOf(draft) })}
      onClose={onClose}
      wide
    >
      <Field label="Types that may not be destroyed" hint="One on a line; * stands for any text. As aws_db_*.">
        <textarea rows={3} {...text("types")} />
      </Field>
      <Field label="Destroys at most" hint="Resources that a plan destroys, replaces or forgets. Empty: any number.">
        <input inputMode="numeric" pattern="\d*" {...text("maxDestroys")} />
      </Field>
      <Field
        label="Hours at which plans are applied"
        hint="As mon,tue,wed 09:00-17:00, one on a line. Empty: any hour."
      >
        <textarea rows={2} {...text("hours")} />
      </Field>
      <Field label="Time zone" hint="As Europe/Berlin.">
        <input {...text("timeZone")} />
      </Field>
      <Field label="Approvals needed" hint="Empty: none.">
        <input inputMode="numeric" pattern="\d*" {...text("approvals")} />
      </Field>
      <Field label="From whom" hint="As role:platform or group:dba, one on a line. Empty: whoever may review.">
        <textarea rows={2} {...text("from")} />
      </Field>
      <Field label="When these types change" hint="One on a line. Empty: any type.">
        <textarea rows={2} {...text("costs")} />
      </Field>
      <Field label="When so many are destroyed" hint="Empty: when anything changes.">
        <input inputMode="numeric" pattern="\d*" {...text("minDestroys")} />
      </Field>
      <Field label="Reason for the approvals">
        <input maxLength={300} {...text("reason")} />
      </Field>
    </FormDialog>
  );
}
