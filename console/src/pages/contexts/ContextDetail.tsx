import { useQuery } from "@tanstack/react-query";
import { Lock, Settings2, Trash2 } from "lucide-react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { contextQuery, contextsKey } from "../../data/contexts.ts";
import { useMay } from "../../data/permissions.ts";
import type { Context } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Actions } from "../../ui/Actions.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { Table } from "../../ui/Table.tsx";
import { ContextDialog } from "./ContextDialog.tsx";
import css from "./Page.module.css";
import { Reach } from "./Reach.tsx";

type Props = {
  org: string;
  id: string;
  dialog: string | undefined;
  onDialog: (name: string | undefined) => void;
  onGone: () => void;
};

export function ContextDetail({ org, id, ...rest }: Props) {
  const context = useQuery(contextQuery(org, id));
  if (context.isError) return <Failed error={context.error} onRetry={() => void context.refetch()} />;
  if (context.data === undefined) return <Loading lines={6} what="Loading the context" />;
  return (
    <>
      <Variables org={org} context={context.data} {...rest} />
      <Reach org={org} selector={context.data.selector} />
    </>
  );
}

function Variables({ org, context, dialog, onDialog, onGone }: Omit<Props, "id"> & { context: Context }) {
  const may = useMay(org);
  const { id, name, variables } = context;
  const close = () => onDialog(undefined);
  const remove = useWrite<unknown>(
    (_, headers) =>
      answerOf(
        api.DELETE("/api/v1/orgs/{org_id}/contexts/{context_id}", {
          params: { path: { org_id: org, context_id: id } },
          headers,
        }),
      ),
    {
      changes: [contextsKey(org)],
      onDone: () => {
        toast(`${name} is deleted`);
        onGone();
      },
    },
  );
  const mayChange = may("context", "update") && may("context", "read");
  const mayDelete = may("context", "delete");
  return (
    <Panel
      title={name}
      count={variables.length}
      more={
        <Actions>
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
      {variables.length === 0 ? (
        <Empty title="No variable" />
      ) : (
        <Table
          label={`Variables of ${name}`}
          rows={variables}
          rowKey={(variable) => variable.name}
          columns={[
            { head: "Variable", cell: (variable) => <code>{variable.name}</code> },
            {
              head: "Value",
              cell: (variable) =>
                variable.secret ? (
                  <span className={css.secret}>
                    <Lock size={13} aria-hidden />
                    secret, never shown
                  </span>
                ) : (
                  <code className={css.value}>{variable.value || "(empty)"}</code>
                ),
            },
          ]}
        />
      )}
      {dialog === "edit" && mayChange && <ContextDialog org={org} context={context} onClose={close} />}
      {dialog === "delete" && mayDelete && (
        <ConfirmDialog
          title={`Delete ${name}`}
          action="Delete the context"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={close}
          phrase={name}
        >
          Runs that begin from now on do not get its {variables.length} variables. Secrets among them cannot be brought
          back.
        </ConfirmDialog>
      )}
    </Panel>
  );
}
