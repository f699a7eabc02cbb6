import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useDeferredValue, useMemo } from "react";
import { graphQuery, type OrgGraph } from "../../data/graph.ts";
import { labelsQuery } from "../../data/stacks.ts";
import { PageHead } from "../../shell/PageHead.tsx";
import { useTitle } from "../../shell/title.ts";
import { Button } from "../../ui/Button.tsx";
import { FilterBar, FilterSelect } from "../../ui/FilterBar.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { chooseDrawn, neighboursOf } from "./chosen.ts";
import { Drawing } from "./Drawing.tsx";
import { Edges } from "./Edges.tsx";
import css from "./Page.module.css";
import { usePlaced } from "./usePlaced.ts";

const route = getRouteApi("/orgs/$org/graph");

export default function Page() {
  useTitle("Graph");
  const { org } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const graph = useQuery({ ...graphQuery(org, search.labels), placeholderData: keepPreviousData });
  // A thousand stacks are rendered between what people do, not in one go.
  const data = useDeferredValue(graph.data);
  const labels = useQuery(labelsQuery(org));
  const set = useCallback(
    (name: keyof typeof search, value: string | undefined) =>
      void navigate({ search: (before) => ({ ...before, [name]: value }), replace: true }),
    [navigate],
  );
  const labelOptions = (labels.data?.items ?? []).flatMap(({ key, values }) =>
    values.map((value) => ({ value: `${key}=${value}`, label: `${key}=${value}` })),
  );
  const stackOptions = (data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const isFiltered = search.labels !== undefined || search.stack !== undefined;
  const isList = search.view === "list";
  return (
    <>
      <PageHead title="Graph">What depends on what: an apply of the left one is followed by the right one.</PageHead>
      <FilterBar onClear={isFiltered ? () => void navigate({ search: {} }) : undefined}>
        <FilterSelect
          label="Label"
          value={search.labels}
          options={labelOptions}
          onChange={(text) => set("labels", text)}
        />
        <FilterSelect label="Around" value={search.stack} options={stackOptions} onChange={(id) => set("stack", id)} />
        <Button small onClick={() => set("view", isList ? undefined : "list")}>
          {isList ? "Show the drawing" : "Hide the drawing"}
        </Button>
      </FilterBar>
      {data ? (
        <Shown org={org} graph={data} around={search.stack} isList={isList} />
      ) : graph.error ? (
        <Failed error={graph.error} onRetry={() => void graph.refetch()} />
      ) : (
        <Loading lines={8} what="Loading the graph" />
      )}
    </>
  );
}

type ShownProps = { org: string; graph: OrgGraph; around: string | undefined; isList: boolean };

function Shown({ org, graph, around, isList }: ShownProps) {
  const { items, edges, truncated } = graph;
  const neighbours = useMemo(() => neighboursOf(edges), [edges]);
  const drawn = useMemo(() => chooseDrawn(items, edges, around), [items, edges, around]);
  const plan = useMemo(
    () => ({
      ids: drawn.stacks.map(({ id }) => id),
      edges: drawn.edges.map(({ dependent, dependency }) => [dependent, dependency] as const),
    }),
    [drawn],
  );
  const { placed, failed } = usePlaced(plan);
  const cyclic = items.filter(({ in_cycle }) => in_cycle === true).length;
  const unrelated = items.length - items.filter(({ id }) => hasNeighbours(neighbours(id))).length;
  if (items.length === 0) {
    return <Empty title="No stack fits">Fewer filters find more; a graph needs stacks that one may read.</Empty>;
  }
  return (
    <div className={css.parts}>
      {truncated && (
        <Notice tone="warn">
          The organization has more stacks or edges than are told at once. Labels show a part whole.
        </Notice>
      )}
      {cyclic > 0 && (
        <Notice tone="bad">
          {cyclic} {cyclic === 1 ? "stack lies" : "stacks lie"} on a cycle: what follows an apply ends there.
        </Notice>
      )}
      {!isList &&
        (plan.ids.length === 0 ? (
          <Notice>
            Nothing depends on anything: a comment in the code declares it, or a state that one reads of another.
          </Notice>
        ) : failed ? (
          <Notice tone="warn">It could not be drawn. The list has all of it.</Notice>
        ) : placed === null ? (
          <Loading lines={6} what="Drawing the graph" />
        ) : (
          <Drawing
            org={org}
            stacks={drawn.stacks}
            edges={drawn.edges}
            placed={placed}
            of={items.length}
            around={around}
          />
        ))}
      <Panel title="List" count={items.length} more={unrelated > 0 && `${unrelated} without neighbours`}>
        <Edges org={org} stacks={items} neighbours={neighbours} />
      </Panel>
    </div>
  );
}

function hasNeighbours({ dependencies, dependents }: ReturnType<ReturnType<typeof neighboursOf>>): boolean {
  return dependencies.length > 0 || dependents.length > 0;
}
