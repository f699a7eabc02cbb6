import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { dependenciesQuery } from "../../data/stacks.ts";
import type { Dependencies as Graph } from "../../data/types.ts";
import { Notice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { StatusBadge } from "../../ui/StatusBadge.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { type Neighbor, neighborsOf } from "./neighbors.ts";
import css from "./tabs.module.css";

const route = getRouteApi("/orgs/$org/stacks/$stack/dependencies");

/** What the stack reads of others, and who reads of it. */
export default function Dependencies() {
  const { org, stack } = route.useParams();
  const { data, error, refetch } = useQuery(dependenciesQuery(org, stack));
  if (error && data === undefined) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  const { above, below, inCycle } = neighborsOf(data, stack);
  return (
    <>
      <Facts graph={data} inCycle={inCycle} />
      <div className={css.two}>
        <Panel title="Depends on" count={above.length}>
          <Neighbors org={org} list={above} empty="It depends on no other stack" />
        </Panel>
        <Panel title="Depends on it" count={below.length}>
          <Neighbors org={org} list={below} empty="No other stack depends on it" />
        </Panel>
      </div>
    </>
  );
}

function Facts({ graph: { analysis, truncated, total_edges }, inCycle }: { graph: Graph; inCycle: boolean }) {
  return (
    <>
      {inCycle && (
        <Notice tone="warn">The stack is part of a cycle. Edges on it do not deploy anything by themselves.</Notice>
      )}
      {truncated && <Notice>Only a part is shown; there are {total_edges} edges around it.</Notice>}
      {analysis?.problem && <Notice tone="warn">The last look at its files: {analysis.problem}</Notice>}
      {analysis?.comment_errors.map((line) => (
        <Notice key={line} tone="warn">
          A comment in its files could not be read: {line}
        </Notice>
      ))}
      {analysis?.declared === "never" && analysis.resources === "never" && (
        <Notice>Not looked at yet. Its dependencies are read from its files and its state when it is deployed.</Notice>
      )}
    </>
  );
}

const TRIGGERS = { always: "deploys by itself", manual: "deploys when somebody asks", never: "does not deploy" };
const SOURCES = { declared: "declared", inferred: "found in the state", both: "declared and found" };

function Neighbors({ org, list, empty }: { org: string; list: readonly Neighbor[]; empty: string }) {
  if (list.length === 0) return <Empty title={empty} />;
  return (
    <ul className={rows.rows}>
      {list.map(({ key, stack, name, status, missing, edge }) => (
        <li key={key} className={`${rows.row} ${css.row}`}>
          <span>
            {stack === null ? (
              <span>{missing ? "A stack that is not there" : "A stack that you may not see"}</span>
            ) : (
              <Link to="/orgs/$org/stacks/$stack" params={{ org, stack }} className={rows.link} data-row>
                {name ?? stack}
              </Link>
            )}
            <span className={rows.meta}>
              <span>{TRIGGERS[edge.trigger]}</span>
              <span>{SOURCES[edge.provenance]}</span>
              {edge.declared_at && (
                <code>
                  {edge.declared_at.file}
                  {edge.declared_at.line !== null && `:${edge.declared_at.line}`}
                </code>
              )}
            </span>
          </span>
          {status && <StatusBadge status={status} />}
        </li>
      ))}
    </ul>
  );
}
