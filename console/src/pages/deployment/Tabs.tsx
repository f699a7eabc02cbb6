/** What of a deployment is looked at below its head: each an address of its own. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { activityQuery } from "../../data/plans.ts";
import type { Deployment } from "../../data/types.ts";
import { readPlace } from "../../log/logLink.ts";
import { Loading } from "../../ui/states.tsx";
import { ChangesTab } from "./ChangesTab.tsx";
import { PlanTally } from "./PlanTally.tsx";
import { planStages } from "./planState.ts";
import css from "./Tabs.module.css";
import { defaultTab, type Tab, tabsOf } from "./tabNames.ts";
import type { TabProps } from "./tabProps.ts";
import { WhichPlan } from "./WhichPlan.tsx";

const LogTab = lazy(() => import("./LogTab.tsx"));
const PlanTextTab = lazy(() => import("./PlanTextTab.tsx"));
const EventsTab = lazy(() => import("./EventsTab.tsx"));
const DependentsTab = lazy(() => import("./DependentsTab.tsx"));
const JsonTab = lazy(() => import("./JsonTab.tsx"));

const route = getRouteApi("/orgs/$org/stacks/$stack/deployments/$id");

function useTab(deployment: Deployment): Tab {
  const { tab } = route.useSearch();
  const hash = readPlace(location.hash);
  const offered = tabsOf(deployment);
  const named = offered.find((each) => each === tab);
  return named ?? (hash !== null ? "log" : defaultTab(deployment));
}

const LABELS: Record<Tab, string> = {
  changes: "Changes",
  text: "Plan text",
  log: "Log",
  events: "Events",
  dependents: "Dependents",
  json: "JSON",
};

export function TabNavigation({ place, deployment, screen }: TabProps) {
  const current = useTab(deployment);
  const events = useQuery(activityQuery(place)).data?.length;
  const summary = planStages(deployment).find(({ run }) => run.id === screen.shown)?.run.plan_summary ?? null;
  return (
    <nav className={css.tabs} aria-label="Parts of the deployment">
      {tabsOf(deployment).map((tab) => (
        <Link
          key={tab}
          from="/orgs/$org/stacks/$stack/deployments/$id"
          to="."
          search={(now) => ({ ...now, tab })}
          resetScroll={false}
          className={css.tab}
          aria-current={tab === current ? "page" : undefined}
        >
          {LABELS[tab]}
          {tab === "changes" && summary?.counts && (
            <span className={css.count}>
              <PlanTally summary={summary} words={false} />
            </span>
          )}
          {tab === "events" && events !== undefined && <span className={css.count}>{events}</span>}
        </Link>
      ))}
    </nav>
  );
}

export function TabContent(props: TabProps) {
  const tab = useTab(props.deployment);
  return (
    <div className={css.content} data-tab={tab}>
      <Suspense fallback={<Loading lines={5} />}>
        {(tab === "changes" || tab === "text") && <WhichPlan {...props} />}
        {tab === "changes" && <ChangesTab {...props} />}
        {tab === "text" && <PlanTextTab {...props} />}
        {tab === "log" && <LogTab {...props} />}
        {tab === "events" && <EventsTab {...props} />}
        {tab === "dependents" && <DependentsTab {...props} />}
        {tab === "json" && <JsonTab {...props} />}
      </Suspense>
    </div>
  );
}
