import { useInfiniteQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { accessRulesQuery, sourcesKey } from "../../data/signInSources.ts";
import type { AccessRule, IdentitySource } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import { AccessRuleDialog } from "./AccessRuleDialog.tsx";
import { usePeople } from "./usePeople.ts";

function ruleWords(rule: AccessRule): string {
  if (rule.rule_type === "codehost_org") return `Members of ${rule.org}`;
  if (rule.rule_type === "codehost_team") return `Members of ${rule.org}/${rule.team}`;
  if (rule.rule_type === "workspace_hd") return `Accounts of ${rule.domains.join(", ")}`;
  return `Members of the group ${rule.group}`;
}

/** Who becomes a member by signing in at a source. */
export function AccessRules({ source }: { source: IdentitySource }) {
  const { org, search, show } = usePeople();
  const list = useInfiniteQuery(accessRulesQuery(org, source.id));
  const [leaving, setLeaving] = useState<AccessRule | null>(null);
  const remove = useWrite(
    (rule_id: string, headers) =>
      answerOf(
        api.DELETE("/api/v1/orgs/{org_id}/identity-sources/{source_id}/access-rules/{rule_id}", {
          params: { path: { org_id: org, source_id: source.id, rule_id } },
          headers,
        }),
      ),
    {
      changes: [sourcesKey(org)],
      onDone: () => {
        setLeaving(null);
        toast("The rule is deleted");
      },
    },
  );
  const add = (
    <Button small icon={<Plus size={14} aria-hidden />} onClick={() => show("rule")}>
      New rule
    </Button>
  );
  return (
    <Panel title="Who is let in" more={add}>
      <PagedList
        label="Access rules"
        list={list}
        empty={<Empty title="No rule">Signing in here makes nobody a member.</Empty>}
        row={(rule) => (
          <SplitRow
            key={rule.id}
            title={ruleWords(rule)}
            meta={
              <span>
                since <Time at={rule.created_at} />
              </span>
            }
            end={
              <Button small onClick={() => setLeaving(rule)} aria-label={`Delete: ${ruleWords(rule)}`}>
                Delete
              </Button>
            }
          />
        )}
      />
      {search.dialog === "rule" && <AccessRuleDialog org={org} source={source} onClose={() => show(undefined)} />}
      {leaving && (
        <ConfirmDialog
          title="Delete the rule"
          action="Delete the rule"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(leaving.id)}
          onClose={() => setLeaving(null)}
        >
          {ruleWords(leaving)} do not become members any more.
        </ConfirmDialog>
      )}
    </Panel>
  );
}
