/** The changes of the plan on screen, or what there is instead of one. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ApiError } from "../../../../clients/api/problem.ts";
import { type ChangesSearch, ChangesView } from "../../plan/ChangesView.tsx";
import { changesQuery } from "../../plan/changesQuery.ts";
import { isView } from "../../plan/filter.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import css from "./ChangesTab.module.css";
import { PlanNotices } from "./PlanNotices.tsx";
import { type PlanStage, planStages, planStateOf, stateOf, waitingPlanRun } from "./planState.ts";
import type { TabProps } from "./tabProps.ts";

const route = getRouteApi("/orgs/$org/stacks/$stack/deployments/$id");

export function ChangesTab({ place, deployment, screen }: TabProps) {
  const stage = planStages(deployment).find(({ run }) => run.id === screen.shown);
  const newest = planStateOf(deployment);
  return (
    <div className={css.tab}>
      {stage !== undefined && <PlanNotices stage={stage} />}
      {stage === undefined ? (
        <NoPlan state={newest} />
      ) : (
        <Plan place={place} deployment={deployment} screen={screen} stage={stage} />
      )}
    </div>
  );
}

function NoPlan({ state }: { state: ReturnType<typeof planStateOf> }) {
  if (state.kind === "failed") {
    return <Empty title="There is no plan: its run failed">{state.error} The log says what the engine said.</Empty>;
  }
  const works = state.kind === "coming" && state.stage?.run.status === "running";
  return (
    <div data-plan="coming">
      <Notice>
        {works
          ? "The plan is being made. Nobody knows yet what changes."
          : "There is no plan yet: its run has not begun."}
      </Notice>
      <Loading lines={4} what="The plan is being made" />
    </div>
  );
}

function Plan({ place, deployment, screen, stage }: TabProps & { stage: PlanStage }) {
  const state = stateOf(stage);
  const client = useQueryClient();
  const changes = useQuery(changesQuery(client, place, stage.run.id));
  const [search, onSearch] = useChangesSearch();
  const pickable = deployment.allowed_actions.includes("confirm") && waitingPlanRun(deployment) === stage.run.id;
  if (changes.data === undefined) {
    if (changes.error === null) return <Loading lines={8} what="Reading the changes" />;
    const missing = changes.error instanceof ApiError && changes.error.status === 404;
    if (!missing) return <Failed error={changes.error} onRetry={() => void changes.refetch()} />;
    return (
      <Empty title={state.kind === "nothing" ? "Nothing to do" : "The changes were not kept"}>
        {state.kind === "nothing"
          ? "The plan was made and measured: what is there is what is configured."
          : "The run's runner could not store them, or they were removed since. The plan text and the log may still be there."}
      </Empty>
    );
  }
  if (state.kind === "nothing" && changes.data.complete && changes.data.rows.length === 0) {
    return (
      <div data-plan="nothing">
        <Empty title="Nothing to do">The plan was made and measured: what is there is what is configured.</Empty>
      </div>
    );
  }
  return (
    <section className={css.plan} aria-label="Changes" data-plan={state.kind} data-run={stage.run.id}>
      <ChangesView
        changes={changes.data}
        search={search}
        onSearch={onSearch}
        picked={pickable ? screen.picked : null}
        onPick={screen.pick}
      />
      {screen.picked.size > 0 && pickable && (
        <div className={css.picked} role="status">
          {screen.picked.size} ticked: <b>Replan...</b> plans only these, without them, or replaces them.
          <Button small kind="quiet" onClick={screen.unpick}>
            Untick all
          </Button>
        </div>
      )}
    </section>
  );
}

/** The address says what is looked at, so that it can be handed on. */
function useChangesSearch(): [ChangesSearch, (search: Partial<ChangesSearch>) => void] {
  const { filter = "", kinds, group } = route.useSearch();
  const navigate = route.useNavigate();
  const search: ChangesSearch = { text: filter, view: isView(kinds) ? kinds : "all", grouped: group === "module" };
  const onSearch = (next: Partial<ChangesSearch>) => {
    const { text, view, grouped } = { ...search, ...next };
    void navigate({
      search: (now) => ({
        ...now,
        filter: text || undefined,
        kinds: view === "all" ? undefined : view,
        group: grouped ? "module" : undefined,
      }),
      replace: true,
      resetScroll: false,
    });
  };
  return [search, onSearch];
}
