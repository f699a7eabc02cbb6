import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Outlet, useNavigate } from "@tanstack/react-router";
import { driftQuery } from "../../data/drift.ts";
import { queueQuery, stackQuery } from "../../data/stacks.ts";
import { PageHead } from "../../shell/PageHead.tsx";
import { useTitle } from "../../shell/title.ts";
import { ActorName } from "../../ui/ActorName.tsx";
import { DriftBadge } from "../../ui/DriftBadge.tsx";
import { Labels } from "../../ui/Labels.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { StatusBadge } from "../../ui/StatusBadge.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { TabLinks } from "../../ui/TabLinks.tsx";
import { Time } from "../../ui/Time.tsx";
import type { StackDialog } from "./actions.ts";
import { Expiry } from "./Expiry.tsx";
import css from "./Page.module.css";
import { StackActions } from "./StackActions.tsx";
import { StackDialogs } from "./StackDialogs.tsx";
import { TABS } from "./tabs.ts";

const route = getRouteApi("/orgs/$org/stacks/$stack");

/** What is above all tabs of a stack: what it is, whether it is held, what can be done. */
export default function Page() {
  const { org, stack: id } = route.useParams();
  const { data: stack, error, refetch } = useQuery(stackQuery(org, id));
  const { dialog } = route.useSearch();
  const navigate = useNavigate({ from: "/orgs/$org/stacks/$stack" });
  const { data: queue } = useQuery(queueQuery(org, id));
  const { data: drift } = useQuery(driftQuery(org, id));
  useTitle(stack?.name ?? id);
  if (error && stack === undefined) {
    return (
      <>
        <PageHead title={id} />
        <Failed error={error} onRetry={() => void refetch()} />
      </>
    );
  }
  if (stack === undefined) return <Loading lines={6} />;
  const setDialog = (name: StackDialog | undefined) =>
    void navigate({ to: ".", search: (before) => ({ ...before, dialog: name }), replace: name === undefined });
  const tabs = TABS.map(({ to, label }) => ({
    link: { to, params: { org, stack: id } },
    label,
    ...(label === "Queue" && queue !== undefined && queue.queued_count > 0 && { count: queue.queued_count }),
  }));
  return (
    <>
      <PageHead
        title={stack.name}
        crumbs={[{ label: "Stacks", link: { to: "/orgs/$org/stacks", params: { org } } }]}
        actions={<StackActions stack={stack} onOpen={setDialog} />}
        beside={
          <>
            {stack.latest_deployment_status && <StatusBadge status={stack.latest_deployment_status} />}
            {drift !== undefined && ["drifted", "failed"].includes(drift.status) && (
              <DriftBadge status={drift.status} />
            )}
          </>
        }
      >
        <span>{stack.repository_url}</span>
        <span>{stack.branch}</span>
        {stack.working_directory && <code>{stack.working_directory}</code>}
        <span>
          {stack.tool} {stack.tool_version}
        </span>
        <Labels labels={stack.labels} />
      </PageHead>
      {stack.held_at && (
        <div className={css.held}>
          <Notice tone="warn">
            <strong>On hold</strong> since <Time at={stack.held_at} /> by <ActorName actor={stack.held_by_actor} />
            {stack.hold_reason && `: ${stack.hold_reason}`}. Nothing new begins until it is released.
          </Notice>
        </div>
      )}
      {stack.expires_at !== null && (
        <div className={css.held}>
          <Expiry stack={{ ...stack, expires_at: stack.expires_at }} />
        </div>
      )}
      <TabLinks label="Stack" tabs={tabs} />
      <div className={css.tab}>
        <Outlet />
      </div>
      <StackDialogs stack={stack} dialog={dialog} onClose={() => setDialog(undefined)} />
    </>
  );
}
