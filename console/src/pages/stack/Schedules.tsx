import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { useMay } from "../../data/permissions.ts";
import { schedulesKey, schedulesQuery } from "../../data/schedules.ts";
import { stackQuery } from "../../data/stacks.ts";
import type { Schedule, Stack } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Empty } from "../../ui/states.tsx";
import { ScheduleDialog } from "./ScheduleDialog.tsx";
import { ScheduleRow } from "./ScheduleRow.tsx";

const route = getRouteApi("/orgs/$org/stacks/$stack/schedules");

export default function Schedules() {
  const { org, stack: id } = route.useParams();
  const { data: stack } = useQuery(stackQuery(org, id));
  return stack === undefined ? null : <List stack={stack} />;
}

/** What comes by itself on a stack: by schedules of its own, and of the organization. */
function List({ stack }: { stack: Stack }) {
  const { org_id: org, id, name, authz_groups } = stack;
  const list = useInfiniteQuery(schedulesQuery(org, id));
  const [isNew, setNew] = useState(false);
  const [leaving, setLeaving] = useState<Schedule | null>(null);
  const may = useMay(org);
  const mayUpdate = may("stack", "update", name, authz_groups);
  /** One of the organization is about other stacks too. */
  const mayChange = ({ stack_id }: Schedule) => (stack_id === null ? may("stack", "update") : mayUpdate);
  const ofOrg = ({ id: schedule }: Schedule) => ({ path: { org_id: org, selector_schedule_id: schedule } });
  const at = (schedule: Schedule) => ({ path: { org_id: org, stack_id: id, stack_schedule_id: schedule.id } });
  const changes = [schedulesKey(org, id)];
  const pause = useWrite<Schedule, Schedule>(
    (schedule, headers) =>
      answerOf(
        schedule.stack_id === null
          ? api.PATCH("/api/v1/orgs/{org_id}/schedules/{selector_schedule_id}", {
              params: ofOrg(schedule),
              headers,
              body: { paused: !schedule.paused },
            })
          : api.PATCH("/api/v1/orgs/{org_id}/stacks/{stack_id}/schedules/{stack_schedule_id}", {
              params: at(schedule),
              headers,
              body: { paused: !schedule.paused },
            }),
      ),
    { changes, onDone: (now) => toast(now.paused ? `${now.name} is paused` : `${now.name} comes again`) },
  );
  const remove = useWrite<unknown, Schedule>(
    (schedule, headers) =>
      answerOf(
        schedule.stack_id === null
          ? api.DELETE("/api/v1/orgs/{org_id}/schedules/{selector_schedule_id}", { params: ofOrg(schedule), headers })
          : api.DELETE("/api/v1/orgs/{org_id}/stacks/{stack_id}/schedules/{stack_schedule_id}", {
              params: at(schedule),
              headers,
            }),
      ),
    {
      changes,
      onDone: (_, schedule) => {
        toast(`${schedule.name} is deleted`);
        setLeaving(null);
      },
    },
  );
  const add = (
    <Button small onClick={() => setNew(true)}>
      New schedule
    </Button>
  );
  return (
    <Panel title="Comes by itself" more={mayUpdate && add}>
      <PagedList
        label="Schedules"
        list={list}
        row={(schedule) => (
          <ScheduleRow
            key={schedule.id}
            org={org}
            stack={id}
            schedule={schedule}
            mayUpdate={mayChange(schedule)}
            onPause={() => pause.mutate(schedule)}
            onDelete={() => setLeaving(schedule)}
          />
        )}
        empty={<Empty title="Nothing comes by itself">A schedule makes a deployment or runs a command in time.</Empty>}
      />
      {isNew && <ScheduleDialog stack={stack} onClose={() => setNew(false)} />}
      {leaving && (
        <ConfirmDialog
          title={`Delete the schedule ${leaving.name}`}
          action="Delete"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(leaving)}
          onClose={() => setLeaving(null)}
        >
          It does not come any more{leaving.stack_id === null && " on any stack"}. What it has made goes on.
        </ConfirmDialog>
      )}
    </Panel>
  );
}
