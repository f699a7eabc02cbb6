import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { KeyRound, Settings2, Trash2 } from "lucide-react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { groupQuery, groupQueueQuery } from "../../data/orgs.ts";
import { useMay } from "../../data/permissions.ts";
import { runnerGroupsKey } from "../../data/runners.ts";
import type { KeyedRunnerGroup, RunnerGroup } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Actions } from "../../ui/Actions.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { GroupDialog } from "./GroupDialog.tsx";
import { GroupFacts } from "./GroupFacts.tsx";
import { Runners } from "./Runners.tsx";

type Props = {
  org: string;
  id: string;
  dialog: string | undefined;
  onDialog: (name: string | undefined) => void;
  /** A new key, to be shown once. */
  onKey: (keyed: KeyedRunnerGroup) => void;
};

export function GroupDetail({ org, id, ...rest }: Props) {
  const group = useQuery(groupQuery(org, id));
  if (group.isError) return <Failed error={group.error} onRetry={() => void group.refetch()} />;
  if (group.data === undefined) return <Loading lines={6} what="Loading the group" />;
  return (
    <>
      <Group org={org} group={group.data} {...rest} />
      <Runners org={org} group={group.data} />
    </>
  );
}

function Group({ org, group, dialog, onDialog, onKey }: Omit<Props, "id"> & { group: RunnerGroup }) {
  const may = useMay(org);
  const navigate = useNavigate();
  const queue = useQuery(groupQueueQuery(org, group.id));
  const path = { org_id: org, group_id: group.id };
  const changes = [runnerGroupsKey(org)];
  const close = () => onDialog(undefined);
  const rotate = useWrite<KeyedRunnerGroup>(
    (_, headers) =>
      answerOf(api.POST("/api/v1/orgs/{org_id}/runner-groups/{group_id}/rotate-key", { params: { path }, headers })),
    {
      changes,
      onDone: (keyed) => {
        close();
        onKey(keyed);
      },
    },
  );
  const remove = useWrite<unknown>(
    (_, headers) =>
      answerOf(api.DELETE("/api/v1/orgs/{org_id}/runner-groups/{group_id}", { params: { path }, headers })),
    {
      changes,
      onDone: () => {
        toast(`${group.name} is deleted`);
        void navigate({ to: "/orgs/$org/runners", params: { org } });
      },
    },
  );
  const mayChange = may("runner_group", "update", group.name);
  const mayDelete = may("runner_group", "delete", group.name);
  return (
    <Panel
      title={group.name}
      more={
        <Actions>
          {mayChange && (
            <>
              <Button small icon={<Settings2 size={14} aria-hidden />} onClick={() => onDialog("edit")}>
                Settings
              </Button>
              <Button small icon={<KeyRound size={14} aria-hidden />} onClick={() => onDialog("rotate")}>
                Rotate key
              </Button>
            </>
          )}
          {mayDelete && (
            <Button small icon={<Trash2 size={14} aria-hidden />} onClick={() => onDialog("delete")}>
              Delete
            </Button>
          )}
        </Actions>
      }
    >
      <GroupFacts group={group} queue={queue.data} />
      {dialog === "edit" && mayChange && <GroupDialog org={org} group={group} onClose={close} />}
      {dialog === "rotate" && mayChange && (
        <ConfirmDialog
          title={`Rotate the key of ${group.name}`}
          action="Rotate the key"
          busy={rotate.isPending}
          error={rotate.error}
          onConfirm={() => rotate.mutate()}
          onClose={close}
        >
          The key of now ends at once. Coordinators take no run until they have the new one; runs that were accepted go
          on.
        </ConfirmDialog>
      )}
      {dialog === "delete" && mayDelete && (
        <ConfirmDialog
          title={`Delete ${group.name}`}
          action="Delete the group"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={close}
          phrase={group.name}
        >
          Its key ends and its runners are gone. A group that holds runs is refused.
        </ConfirmDialog>
      )}
    </Panel>
  );
}
