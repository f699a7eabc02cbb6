import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck, CircleDashed, CircleX, type LucideIcon, Play } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { useMay } from "../../data/permissions.ts";
import { runnerGroupsKey, runnersKey, runnersQuery } from "../../data/runners.ts";
import type { Runner, RunnerGroup } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Badge } from "../../ui/Badge.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty } from "../../ui/states.tsx";
import type { Tone } from "../../ui/status.ts";
import { Time } from "../../ui/Time.tsx";

const STATUSES: Readonly<Record<Runner["status"], { word: string; tone: Tone; icon: LucideIcon }>> = {
  "not-ready": { word: "Starts", tone: "still", icon: CircleDashed },
  ready: { word: "Ready", tone: "ok", icon: CircleCheck },
  busy: { word: "Busy", tone: "run", icon: Play },
  finished: { word: "Done", tone: "still", icon: CircleCheck },
  failed: { word: "Failed", tone: "bad", icon: CircleX },
  gone: { word: "Gone", tone: "still", icon: CircleX },
};

/** The processes of a group: one for each run, and those that wait for one. */
export function Runners({ org, group }: { org: string; group: RunnerGroup }) {
  const may = useMay(org);
  const list = useInfiniteQuery(runnersQuery(org, group.id));
  const [leaving, setLeaving] = useState<Runner | null>(null);
  const remove = useWrite(
    (runner_id: string, headers) =>
      answerOf(
        api.DELETE("/api/v1/orgs/{org_id}/runners/{runner_id}", {
          params: { path: { org_id: org, runner_id } },
          headers,
        }),
      ),
    {
      changes: [runnersKey(org), runnerGroupsKey(org)],
      onDone: () => {
        toast("The runner is removed");
        setLeaving(null);
      },
    },
  );
  const mayDelete = may("runner", "delete", group.name);
  return (
    <Panel title="Runners">
      <PagedList
        label="Runners"
        list={list}
        empty={<Empty title="No runner">They appear when the group's coordinator takes runs.</Empty>}
        row={(runner) => (
          <SplitRow
            key={runner.id}
            title={<code>{runner.id}</code>}
            meta={
              <>
                <span>
                  seen <Time at={runner.last_seen_at} />
                </span>
                <Work org={org} runner={runner} />
              </>
            }
            end={
              <>
                <Badge tone={STATUSES[runner.status].tone} icon={STATUSES[runner.status].icon}>
                  {STATUSES[runner.status].word}
                </Badge>
                {mayDelete && runner.assigned_run_id === null && (
                  <Button small onClick={() => setLeaving(runner)} aria-label={`Remove ${runner.id}`}>
                    Remove
                  </Button>
                )}
              </>
            }
          />
        )}
      />
      {leaving && (
        <ConfirmDialog
          title="Remove the runner"
          action="Remove"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(leaving.id)}
          onClose={() => setLeaving(null)}
        >
          <code>{leaving.id}</code> is forgotten. One that still lives has to register again; one that holds a run is
          not removed.
        </ConfirmDialog>
      )}
    </Panel>
  );
}

function Work({ org, runner }: { org: string; runner: Runner }) {
  const { assigned_stack_id: stack, assigned_deployment_id: id } = runner;
  if (stack === null || id === null) return null;
  return (
    <span>
      works on{" "}
      <Link to="/orgs/$org/stacks/$stack/deployments/$id" params={{ org, stack, id }}>
        {stack}
      </Link>
    </span>
  );
}
