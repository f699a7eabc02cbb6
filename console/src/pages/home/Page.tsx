import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type AllDeploymentsFilter, allDeploymentsQuery } from "../../data/deployments.ts";
import { orgQuery } from "../../data/orgs.ts";
import { PageHead } from "../../shell/PageHead.tsx";
import { setPreference } from "../../shell/preferences.ts";
import { useTitle } from "../../shell/title.ts";
import { DeploymentRow } from "../../ui/DeploymentRow.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Empty, Failed } from "../../ui/states.tsx";
import { RUNNING } from "../../ui/status.ts";
import { Budget } from "./Budget.tsx";
import { Figures } from "./Figures.tsx";
import css from "./Page.module.css";
import { RunnerHealth } from "./RunnerHealth.tsx";

const route = getRouteApi("/orgs/$org");
const FEW = 8;
const DAY_MS = 86_400_000;

/** What needs somebody, what is under way, and whether anything stands in its way. */
export default function Page() {
  const { org } = route.useParams();
  const organization = useQuery(orgQuery(org));
  const name = organization.data?.name ?? "Home";
  useTitle(name);
  useEffect(() => setPreference("org", org), [org]);
  const [since] = useState(() => new Date(Date.now() - DAY_MS).toISOString());
  if (organization.isError) {
    return (
      <>
        <PageHead title="Organization" />
        <Failed error={organization.error} onRetry={() => void organization.refetch()} />
      </>
    );
  }
  return (
    <>
      <PageHead title={name} />
      <Figures org={org} />
      <div className={css.columns}>
        <div className={css.column}>
          <Deployments org={org} title="Waits for you" filter={{ actionable: "me" }} search={{ mine: "yes" }}>
            <Empty title="Nothing waits for you">What a person has to confirm appears here by itself.</Empty>
          </Deployments>
          <NeedsReview org={org} />
          <Deployments
            org={org}
            title="Under way"
            filter={{ status: [...RUNNING] }}
            search={{ status: RUNNING.join(",") }}
          >
            <Empty title="Nothing is under way" />
          </Deployments>
          <Deployments
            org={org}
            title="Failed in 24 hours"
            filter={{ status: ["failed"], created_after: since }}
            search={{ status: "failed", since }}
          >
            <Empty title="Nothing failed in the last 24 hours" />
          </Deployments>
        </div>
        <div className={css.column}>
          <Budget org={org} />
          <RunnerHealth org={org} />
        </div>
      </div>
    </>
  );
}

/** Plans that lack an approval which the person could give; where no rule asks for one there is nothing to say. */
function NeedsReview({ org }: { org: string }) {
  const filter = { actionable: "me", waiting_for: "approval" } as const;
  const list = useInfiniteQuery(allDeploymentsQuery(org, { ...filter, limit: FEW }));
  if (!list.data?.length) return null;
  return (
    <Deployments org={org} title="Needs your review" filter={filter} search={{ mine: "yes" }}>
      <Empty title="Nothing needs your review" />
    </Deployments>
  );
}

type Props = {
  org: string;
  title: string;
  filter: AllDeploymentsFilter;
  search: Record<string, string>;
  children: React.ReactNode;
};

function Deployments({ org, title, filter, search, children }: Props) {
  const list = useInfiniteQuery(allDeploymentsQuery(org, { ...filter, limit: FEW }));
  const shown = list.data?.slice(0, FEW);
  const more = (
    <Link to="/orgs/$org/deployments" params={{ org }} search={search}>
      All<span className="sr-only"> of {title}</span>
    </Link>
  );
  return (
    <Panel title={title} more={list.hasNextPage ? more : undefined}>
      <PagedList
        label={title}
        list={{ ...list, data: shown, hasNextPage: false } as typeof list}
        row={(deployment) => <DeploymentRow key={deployment.id} deployment={deployment} withStack />}
        empty={children}
      />
    </Panel>
  );
}
