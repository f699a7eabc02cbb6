import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import type { operations } from "../../../../clients/api/schema.d.ts";
import { api } from "../../data/api.ts";
import { sourcesKey } from "../../data/signInSources.ts";
import type { AccessRule, IdentitySource } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";

type Body = operations["createAccessRule"]["requestBody"]["content"]["application/json"];
type RuleType = AccessRule["rule_type"];

/** Which rules a way to sign in can have. */
const OF: Readonly<Record<string, readonly (readonly [RuleType, string])[]>> = {
  codehost: [
    ["codehost_org", "members of an organization"],
    ["codehost_team", "members of a team"],
  ],
  workspace: [["workspace_hd", "accounts of domains"]],
  oidc: [["oidc_group", "members of a group"]],
};

type Props = { org: string; source: IdentitySource; onClose: () => void };

export function AccessRuleDialog({ org, source, onClose }: Props) {
  const types = OF[source.provider_key] ?? [];
  const [type, setType] = useState<RuleType>(types[0]?.[0] ?? "oidc_group");
  const [name, setName] = useState("");
  const [team, setTeam] = useState("");
  const create = useWrite(
    (body: Body, headers) =>
      answerOf(
        api.POST("/api/v1/orgs/{org_id}/identity-sources/{source_id}/access-rules", {
          params: { path: { org_id: org, source_id: source.id } },
          body,
          headers,
        }),
      ),
    {
      changes: [sourcesKey(org)],
      onDone: () => {
        toast("The rule holds from now on");
        onClose();
      },
    },
  );
  const wrong = fieldErrors(create.error);
  return (
    <FormDialog
      title="Who is let in"
      submit="Let them in"
      busy={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate(ruleOf(type, name.trim(), team.trim()))}
      onClose={onClose}
    >
      <Field label="Who" error={wrong.get("rule_type")}>
        <select value={type} onChange={(event) => setType(event.target.value as RuleType)}>
          {types.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </Field>
      <Field
        label={type === "workspace_hd" ? "Domains" : type === "oidc_group" ? "Group" : "Organization"}
        hint={type === "workspace_hd" ? "Several with commas between them." : undefined}
        error={wrong.get("org") ?? wrong.get("domains") ?? wrong.get("group")}
      >
        <input value={name} required spellCheck={false} onChange={(event) => setName(event.target.value)} />
      </Field>
      {type === "codehost_team" && (
        <Field label="Team" hint="Its short name, as in its address." error={wrong.get("team")}>
          <input value={team} required spellCheck={false} onChange={(event) => setTeam(event.target.value)} />
        </Field>
      )}
    </FormDialog>
  );
}

function ruleOf(rule_type: RuleType, name: string, team: string): Body {
  if (rule_type === "codehost_org") return { rule_type, org: name };
  if (rule_type === "codehost_team") return { rule_type, org: name, team };
  if (rule_type === "workspace_hd") return { rule_type, domains: name.split(/[\s,]+/).filter((part) => part !== "") };
  return { rule_type, group: name };
}
