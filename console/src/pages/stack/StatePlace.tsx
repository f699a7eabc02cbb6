import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleQuestionMark, CloudCheck, CloudOff } from "lucide-react";
import { deploymentQuery } from "../../data/deployments.ts";
import type { Stack, StateVersion } from "../../data/types.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { sizeText } from "../../ui/sizes.ts";
import { Time } from "../../ui/Time.tsx";
import css from "./State.module.css";
import { statePlaceOf, stateWarningsOf } from "./stateFacts.ts";

const SIGNS = {
  here: { word: "Kept here", tone: "ok", icon: CloudCheck },
  elsewhere: { word: "Kept elsewhere", tone: "still", icon: CloudOff },
  open: { word: "No state here", tone: "still", icon: CircleQuestionMark },
} as const;

/** Whether the service keeps the state, by what the settings say and what the last deployment found. */
export function StatePlace({ stack, last }: { stack: Stack; last?: StateVersion | null }) {
  const { org_id: org, id, latest_deployment_id: latest } = stack;
  const { data: deployment } = useQuery({ ...deploymentQuery(org, id, latest ?? ""), enabled: latest !== null });
  const warnings = deployment === undefined ? [] : stateWarningsOf(deployment);
  const { kind, text } = statePlaceOf({ mode: stack.state_mode, ...(last !== undefined && { last }), warnings });
  const { word, tone, icon } = SIGNS[kind];
  const present = last?.is_newest === true ? last : null;
  return (
    <Panel title="Where it is">
      <div className={css.place}>
        <Badge tone={tone} icon={icon}>
          {word}
        </Badge>
        <span>{text}</span>
        <Link to="/orgs/$org/stacks/$stack/settings" params={{ org, stack: id }}>
          Settings
        </Link>
      </div>
      {warnings.map((warning) => (
        <div key={warning} className={css.notice}>
          <Notice tone="warn">The last plan says: {warning}</Notice>
        </div>
      ))}
      {present && (
        <Facts
          facts={[
            ["Version", `${present.number}, serial ${present.serial}`],
            ["Stored", <Time key="at" at={present.created_at} />],
            ["Resources", present.resources ?? "encrypted by its engine"],
            ["Size", sizeText(present.size)],
            ["Engine", present.engine_version],
            ["Lineage", <code key="lineage">{present.lineage}</code>],
          ]}
        />
      )}
    </Panel>
  );
}
