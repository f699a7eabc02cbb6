/** A deployment: what waits, what would change, why, and the buttons that decide. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { deploymentQuery } from "../../data/deployments.ts";
import type { DeploymentPlace } from "../../data/plans.ts";
import { queueQuery, stackQuery } from "../../data/stacks.ts";
import type { OneDeployment, Stack } from "../../data/types.ts";
import { announce } from "../../shell/announce.tsx";
import { useTitle } from "../../shell/title.ts";
import { Failed, Loading } from "../../ui/states.tsx";
import { Approvals } from "./Approvals.tsx";
import { Decisions } from "./Decisions.tsx";
import { DeploymentHead } from "./DeploymentHead.tsx";
import { headlineOf } from "./headline.ts";
import css from "./Page.module.css";
import { TabContent, TabNavigation } from "./Tabs.tsx";
import { usePlanOnScreen } from "./usePlanOnScreen.ts";

const route = getRouteApi("/orgs/$org/stacks/$stack/deployments/$id");

export default function Page() {
  const { org, stack, id } = route.useParams();
  const place = { org, stack, id };
  const deployment = useQuery(deploymentQuery(org, stack, id));
  const ofStack = useQuery(stackQuery(org, stack));
  if (deployment.data === undefined) {
    return deployment.error === null ? (
      <Loading lines={8} what="Loading the deployment" />
    ) : (
      <Failed error={deployment.error} onRetry={() => void deployment.refetch()} />
    );
  }
  // Another deployment is another page: nothing of what was on screen stays.
  return <Shown key={id} place={place} deployment={deployment.data} stack={ofStack.data ?? null} />;
}

type Props = { place: DeploymentPlace; deployment: OneDeployment; stack: Stack | null };

function Shown({ place, deployment, stack }: Props) {
  const headline = headlineOf(deployment);
  useTitle(headline.text, stack?.name ?? place.stack);
  useAnnounced(headline.text);
  const screen = usePlanOnScreen(deployment);
  const queue = useQuery({ ...queueQuery(place.org, place.stack), enabled: deployment.completed_at === null });
  const behind = queue.data?.holder?.id === place.id ? queue.data.queued_count : 0;
  return (
    <div className={css.page}>
      <DeploymentHead
        place={place}
        deployment={deployment}
        stack={stack}
        behind={behind}
        decisions={<Decisions place={place} deployment={deployment} stack={stack} screen={screen} />}
        approvals={<Approvals place={place} deployment={deployment} />}
        tabs={<TabNavigation place={place} deployment={deployment} screen={screen} />}
      />
      <TabContent place={place} deployment={deployment} screen={screen} />
    </div>
  );
}

/** What it has become is said to who cannot see it, once it is another than when the page was opened. */
function useAnnounced(text: string): void {
  const before = useRef(text);
  useEffect(() => {
    if (before.current === text) return;
    before.current = text;
    announce(`The deployment: ${text}`);
  }, [text]);
}
