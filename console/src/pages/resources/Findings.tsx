import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Copy, RefreshCw, Unlink } from "lucide-react";
import { type Finding, findingsQuery, findingsStateQuery } from "../../data/graph.ts";
import { FilterBar, FilterSelect } from "../../ui/FilterBar.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { Empty } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import css from "./Page.module.css";

const route = getRouteApi("/orgs/$org/resources");

const KINDS = {
  cycle: { word: "Stacks that depend on each other in a circle", icon: RefreshCw },
  duplicate: { word: "One resource in the states of several stacks", icon: Copy },
  orphan: { word: "A stack that depends on one that is not there", icon: Unlink },
} as const;
const OPTIONS = Object.entries(KINDS).map(([value, { word }]) => ({ value, label: word }));

export function Findings() {
  const { org } = route.useParams();
  const { type: kind } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(findingsQuery(org, kind ? { kind: kind as never } : {}));
  const state = useQuery(findingsStateQuery(org)).data;
  const isPartial = state?.cycles_complete === false || state?.orphans_complete === false;
  const set = (type: string | undefined) => void navigate({ search: { tab: "findings", type }, replace: true });
  return (
    <>
      <FilterBar onClear={kind === undefined ? undefined : () => set(undefined)}>
        <FilterSelect label="Kind" value={kind} options={OPTIONS} onChange={set} />
      </FilterBar>
      {isPartial && (
        <Notice tone="warn">The graph was too large to look at all of it: there may be more than this.</Notice>
      )}
      <Panel
        title="Findings"
        more={
          state?.computed_at && (
            <span>
              looked for <Time at={state.computed_at} />
            </span>
          )
        }
      >
        <PagedList
          label="Findings"
          list={list}
          row={(finding) => <FindingRow key={finding.id} org={org} finding={finding} />}
          empty={
            <Empty title={state?.computed_at ? "Nothing to find fault with" : "Not looked for yet"}>
              Circles, doubled resources and stacks that name others that are gone are looked for from time to time.
            </Empty>
          }
        />
      </Panel>
    </>
  );
}

function FindingRow({ org, finding }: { org: string; finding: Finding }) {
  const { kind, stacks, stack_count } = finding;
  const { word, icon: Icon } = KINDS[kind];
  const visible = stacks.flatMap(({ id, name }) => (id === null ? [] : [{ id, name }]));
  const others = stack_count - visible.length;
  return (
    <li className={`${rows.row} ${css.row}`}>
      <span className={css.kind}>
        <Icon size={15} aria-hidden />
        {word}
      </span>
      <span className={rows.meta}>
        {visible.map(({ id, name }) => (
          <Link key={id} to="/orgs/$org/stacks/$stack" params={{ org, stack: id }} className={css.stack}>
            {name}
          </Link>
        ))}
        {others > 0 && <span>{others} that you may not read, or more than are shown</span>}
      </span>
      <Evidence {...finding} />
    </li>
  );
}

/** What it rests on: a declaration's place, or the real thing that two manage. */
function Evidence({ reason, from_stack, from_resource, file, line, realm, identity }: Finding) {
  return (
    <span className={rows.meta}>
      {reason && <span>{reason === "stack_missing" ? "there is no such stack" : "it has no such resource"}</span>}
      {from_stack && <code>{from_resource ? `${from_stack}: ${from_resource}` : from_stack}</code>}
      {file && <code>{line === null ? file : `${file}:${line}`}</code>}
      {identity && <code className={css.identity}>{identity}</code>}
      {realm && <span>{realm}</span>}
    </span>
  );
}
