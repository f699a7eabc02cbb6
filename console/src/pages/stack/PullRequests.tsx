import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { RefreshCw } from "lucide-react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { keys } from "../../data/keys.ts";
import { pullRequestsQuery, stackQuery } from "../../data/stacks.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Empty } from "../../ui/states.tsx";
import { PullRequestRow } from "./PullRequestRow.tsx";

const route = getRouteApi("/orgs/$org/stacks/$stack/pull-requests");

export default function PullRequests() {
  const { org, stack } = route.useParams();
  const list = useInfiniteQuery(pullRequestsQuery(org, stack));
  const { data } = useQuery(stackQuery(org, stack));
  const refresh = useWrite(
    (_: undefined, headers) =>
      answerOf(
        api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/pull-requests/refresh", {
          params: { path: { org_id: org, stack_id: stack } },
          headers,
        }),
      ),
    {
      changes: [keys.stackWork(org, stack)],
      onDone: () => toast("The code host is being asked; what it says appears here"),
    },
  );
  const mayPreview = data?.allowed_actions.includes("plan_unlocked") === true;
  const mayPromote = data?.allowed_actions.includes("plan") === true;
  const more = mayPreview && (
    <Button
      small
      icon={<RefreshCw size={14} aria-hidden />}
      busy={refresh.isPending}
      onClick={() => refresh.mutate(undefined)}
    >
      Ask the code host
    </Button>
  );
  return (
    <Panel title="Open pull requests" more={more}>
      <PagedList
        label="Pull requests"
        list={list}
        row={(pull) => <PullRequestRow key={pull.id} org={org} stack={stack} pull={pull} mayPromote={mayPromote} />}
        empty={
          <Empty title="No open pull request">
            Those of the stack's branch that touch its folder appear here, with their previews.
          </Empty>
        }
      />
      {refresh.error && <p role="alert">{refresh.error.message}</p>}
    </Panel>
  );
}
