import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { rolesQuery, serviceAccountsQuery } from "../../data/people.ts";
import { sourcesQuery } from "../../data/signInSources.ts";
import type { ApprovalRule } from "../../data/types.ts";
import { Check, Field } from "../../ui/Field.tsx";
import css from "./ApprovalRuleDialog.module.css";

type Approvers = ApprovalRule["approvers"];
type Props = { org: string; approvers: Approvers; onChange: (approvers: Approvers) => void };

/** Whose approvals count: people by roles and groups, accounts by name. What this person may not read stays. */
export function ApproverFields({ org, approvers, onChange }: Props) {
  const roles = useQuery(rolesQuery(org)).data ?? [];
  const accounts = useInfiniteQuery(serviceAccountsQuery(org)).data ?? [];
  const sources = useInfiniteQuery(sourcesQuery(org)).data ?? [];
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const keysOf = (source: string) =>
    approvers.groups.filter((group) => group.identity_source_id === source).map((group) => group.group_key);
  const setGroups = (source: string, text: string) => {
    setTexts((before) => ({ ...before, [source]: text }));
    const keys = [...new Set(text.split("\n").map((line) => line.trim()))].filter(Boolean);
    const others = approvers.groups.filter((group) => group.identity_source_id !== source);
    onChange({
      ...approvers,
      groups: [...others, ...keys.map((key) => ({ identity_source_id: source, group_key: key }))],
    });
  };
  return (
    <>
      <Ticked
        legend="By people with one of these roles; nothing of all this for whoever may review"
        options={roles}
        chosen={approvers.roles}
        onChange={(chosen) => onChange({ ...approvers, roles: chosen })}
      />
      {sources.map(({ id, display_name }) => (
        <Field key={id} label={`By people of these groups of ${display_name}`} hint="One on a line">
          <textarea
            rows={2}
            spellCheck={false}
            value={texts[id] ?? keysOf(id).join("\n")}
            onChange={(event) => setGroups(id, event.target.value)}
          />
        </Field>
      ))}
      {accounts.length > 0 && (
        <Ticked
          legend="By these service accounts; one that is not named never counts"
          options={accounts}
          chosen={approvers.service_accounts}
          onChange={(chosen) => onChange({ ...approvers, service_accounts: chosen })}
        />
      )}
    </>
  );
}

type TickedProps = {
  legend: string;
  options: readonly { id: string; name: string }[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
};

function Ticked({ legend, options, chosen, onChange }: TickedProps) {
  return (
    <fieldset className={css.group}>
      <legend>{legend}</legend>
      {options.map(({ id, name }) => (
        <Check
          key={id}
          label={name}
          checked={chosen.includes(id)}
          onChange={(on) => onChange([...chosen.filter((each) => each !== id), ...(on ? [id] : [])])}
        />
      ))}
    </fieldset>
  );
}
