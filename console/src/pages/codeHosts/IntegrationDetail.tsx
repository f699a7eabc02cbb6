import { useQuery } from "@tanstack/react-query";
import { Settings2, Stethoscope, Trash2 } from "lucide-react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { codeHostsKey, scmIntegrationQuery } from "../../data/codeHosts.ts";
import { useMay } from "../../data/permissions.ts";
import type { ScmIntegration } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Actions } from "../../ui/Actions.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { Inbox } from "./Inbox.tsx";
import { IntegrationDialog } from "./IntegrationDialog.tsx";
import { IntegrationFacts } from "./IntegrationFacts.tsx";
import { TestDialog } from "./TestDialog.tsx";

type Props = {
  org: string;
  id: string;
  state: string | undefined;
  dialog: string | undefined;
  onState: (state: string | undefined) => void;
  onDialog: (name: string | undefined) => void;
  onGone: () => void;
};

export function IntegrationDetail({ org, id, state, onState, ...rest }: Props) {
  const may = useMay(org);
  const integration = useQuery(scmIntegrationQuery(org, id));
  if (integration.isError) return <Failed error={integration.error} onRetry={() => void integration.refetch()} />;
  if (integration.data === undefined) return <Loading lines={6} what="Loading the integration" />;
  return (
    <>
      <Integration org={org} integration={integration.data} {...rest} />
      <Inbox org={org} id={id} state={state} onState={onState} mayRetry={may("scm_integration", "update")} />
    </>
  );
}

type IntegrationProps = Pick<Props, "org" | "dialog" | "onDialog" | "onGone"> & { integration: ScmIntegration };

function Integration({ org, integration, dialog, onDialog, onGone }: IntegrationProps) {
  const may = useMay(org);
  const { id, name } = integration;
  const close = () => onDialog(undefined);
  const remove = useWrite<unknown>(
    (_, headers) =>
      answerOf(
        api.DELETE("/api/v1/orgs/{org_id}/scm-integrations/{integration_id}", {
          params: { path: { org_id: org, integration_id: id } },
          headers,
        }),
      ),
    {
      changes: [codeHostsKey(org)],
      onDone: () => {
        toast(`${name} is deleted`);
        onGone();
      },
    },
  );
  const mayChange = may("scm_integration", "update");
  const mayDelete = may("scm_integration", "delete");
  return (
    <Panel
      title={name}
      more={
        <Actions>
          {mayChange && (
            <>
              <Button small icon={<Stethoscope size={14} aria-hidden />} onClick={() => onDialog("test")}>
                Test
              </Button>
              <Button small icon={<Settings2 size={14} aria-hidden />} onClick={() => onDialog("edit")}>
                Settings
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
      <IntegrationFacts integration={integration} />
      {dialog === "test" && mayChange && <TestDialog org={org} integration={integration} onClose={close} />}
      {dialog === "edit" && mayChange && <IntegrationDialog org={org} integration={integration} onClose={close} />}
      {dialog === "delete" && mayDelete && (
        <ConfirmDialog
          title={`Delete ${name}`}
          action="Delete the integration"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={close}
          phrase={name}
        >
          Its credentials and its inbox are gone. Private repositories that it served cannot be read, and their pushes
          and pull requests do nothing.
        </ConfirmDialog>
      )}
    </Panel>
  );
}
