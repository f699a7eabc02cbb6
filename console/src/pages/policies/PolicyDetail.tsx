import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { FlaskConical, ListPlus, Settings2, Trash2 } from "lucide-react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { useMay } from "../../data/permissions.ts";
import { policiesKey, policyQuery, policyVersionsQuery } from "../../data/policies.ts";
import type { Policy } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Actions } from "../../ui/Actions.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import { PolicyDialog } from "./PolicyDialog.tsx";
import { RulesDialog } from "./RulesDialog.tsx";
import { TestDialog } from "./TestDialog.tsx";

type Props = {
  org: string;
  id: string;
  dialog: string | undefined;
  onDialog: (name: string | undefined) => void;
  onGone: () => void;
};

export function PolicyDetail({ org, id, ...rest }: Props) {
  const policy = useQuery(policyQuery(org, id));
  if (policy.isError) return <Failed error={policy.error} onRetry={() => void policy.refetch()} />;
  if (policy.data === undefined) return <Loading lines={6} what="Loading the policy" />;
  return (
    <>
      <Summary org={org} policy={policy.data} {...rest} />
      <Versions org={org} policy={policy.data} />
    </>
  );
}

function Summary({ org, policy, dialog, onDialog, onGone }: Omit<Props, "id"> & { policy: Policy }) {
  const may = useMay(org);
  const { id, name, enforcement, modes, version, last_version: newest, description } = policy;
  const close = () => onDialog(undefined);
  const remove = useWrite<unknown>(
    (_, headers) =>
      answerOf(
        api.DELETE("/api/v1/orgs/{org_id}/policies/{policy_id}", {
          params: { path: { org_id: org, policy_id: id } },
          headers,
        }),
      ),
    {
      changes: [policiesKey(org)],
      onDone: () => {
        toast(`${name} is deleted`);
        onGone();
      },
    },
  );
  const mayChange = may("policy", "update");
  const mayDelete = may("policy", "delete");
  return (
    <Panel
      title={name}
      more={
        <Actions>
          {newest > 0 && (
            <Button small icon={<FlaskConical size={14} aria-hidden />} onClick={() => onDialog("test")}>
              Test
            </Button>
          )}
          {mayChange && (
            <Button small icon={<ListPlus size={14} aria-hidden />} onClick={() => onDialog("rules")}>
              New rules
            </Button>
          )}
          {mayChange && (
            <Button small icon={<Settings2 size={14} aria-hidden />} onClick={() => onDialog("edit")}>
              Change
            </Button>
          )}
          {mayDelete && (
            <Button small icon={<Trash2 size={14} aria-hidden />} onClick={() => onDialog("delete")}>
              Delete
            </Button>
          )}
        </Actions>
      }
    >
      <p>
        {enforcement}, for {modes.join(", ")}.{" "}
        {version === null ? "No version counts: it says nothing." : `Version ${version} counts.`} {description}
      </p>
      {dialog === "edit" && mayChange && <PolicyDialog org={org} policy={policy} onClose={close} />}
      {dialog === "rules" && mayChange && <RulesDialog org={org} policy={policy} onClose={close} />}
      {dialog === "test" && newest > 0 && <TestDialog org={org} policy={policy} onClose={close} />}
      {dialog === "delete" && mayDelete && (
        <ConfirmDialog
          title={`Delete ${name}`}
          action="Delete the policy"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={close}
          phrase={name}
        >
          It looks at no plan any more. What it said of plans stays; its versions cannot be brought back.
        </ConfirmDialog>
      )}
    </Panel>
  );
}

function Versions({ org, policy }: { org: string; policy: Policy }) {
  const list = useInfiniteQuery(policyVersionsQuery(org, policy.id));
  return (
    <Panel title="Versions">
      <PagedList
        label="Versions"
        list={list}
        empty={<Empty title="No version">Add rules here, or Rego from the command line.</Empty>}
        row={({ version, kind, digest, created_at }) => (
          <li key={version} className={rows.row}>
            <b>
              {version}
              {version === policy.version && " (counts)"}
            </b>
            <span className={rows.meta}>
              <span>{kind}</span>
              <code title={digest}>{digest.slice(0, 12)}</code>
              <Time at={created_at} />
            </span>
          </li>
        )}
      />
    </Panel>
  );
}
