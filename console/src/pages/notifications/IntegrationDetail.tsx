import { useQuery } from "@tanstack/react-query";
import { Send, Settings2, Trash2 } from "lucide-react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { notificationIntegrationQuery, notificationsKey } from "../../data/notifications.ts";
import { useMay } from "../../data/permissions.ts";
import type { NotificationIntegration } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Actions } from "../../ui/Actions.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { type Fact, Facts } from "../../ui/Facts.tsx";
import { FormError } from "../../ui/FormError.tsx";
import { Labels } from "../../ui/Labels.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import { EVENTS } from "./events.ts";
import { FORMS, testResult } from "./forms.ts";
import { IntegrationDialog } from "./IntegrationDialog.tsx";
import css from "./Page.module.css";

type Props = {
  org: string;
  id: string;
  dialog: string | undefined;
  onDialog: (name: string | undefined) => void;
  onGone: () => void;
};

export function IntegrationDetail({ org, id, ...rest }: Props) {
  const integration = useQuery(notificationIntegrationQuery(org, id));
  if (integration.isError) return <Failed error={integration.error} onRetry={() => void integration.refetch()} />;
  if (integration.data === undefined) return <Loading lines={6} what="Loading the integration" />;
  return <Integration org={org} integration={integration.data} {...rest} />;
}

type IntegrationProps = Omit<Props, "id"> & { integration: NotificationIntegration };

function Integration({ org, integration, dialog, onDialog, onGone }: IntegrationProps) {
  const may = useMay(org);
  const { id, name, enabled, events, stack_label_selector: selector } = integration;
  const path = { org_id: org, notification_integration_id: id };
  const close = () => onDialog(undefined);
  const test = useWrite<{ result: string }>((_, headers) =>
    answerOf(
      api.POST("/api/v1/orgs/{org_id}/notification-integrations/{notification_integration_id}/test", {
        params: { path },
        headers,
      }),
    ),
  );
  const remove = useWrite<unknown>(
    (_, headers) =>
      answerOf(
        api.DELETE("/api/v1/orgs/{org_id}/notification-integrations/{notification_integration_id}", {
          params: { path },
          headers,
        }),
      ),
    {
      changes: [notificationsKey(org)],
      onDone: () => {
        toast(`${name} is deleted`);
        onGone();
      },
    },
  );
  const mayChange = may("notification_integration", "update");
  const mayDelete = may("notification_integration", "delete");
  return (
    <Panel
      title={name}
      more={
        <Actions>
          {mayChange && (
            <>
              <Button small icon={<Send size={14} aria-hidden />} busy={test.isPending} onClick={() => test.mutate()}>
                Send a sample
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
      {(test.data || test.error) && (
        <div className={css.notice}>
          <FormError error={test.error} />
          {test.data && (
            <Notice tone={test.data.result === "2xx" ? "info" : "bad"} alert>
              {testResult(integration.provider_type, test.data.result)}
            </Notice>
          )}
        </div>
      )}
      <Facts
        facts={[
          ["State", enabled ? "enabled" : "disabled: nothing is sent"],
          ["Form", FORMS[integration.provider_type].label],
          ["Plans without changes", integration.changes_only ? "are not told" : "are told too"],
          [
            "Of stacks",
            Object.keys(selector).length === 0 ? (
              "all"
            ) : (
              <span key="selector" className={rows.meta}>
                <Labels labels={selector} />
              </span>
            ),
          ],
          ...targetFacts(integration),
          ["Changed", <Time key="changed" at={integration.updated_at} />],
        ]}
      />
      <ul className={css.events} aria-label="Events">
        {events.map((event) => (
          <li key={event}>{EVENTS[event]}</li>
        ))}
        {events.length === 0 && <li>No event is chosen: nothing is sent.</li>}
      </ul>
      {dialog === "edit" && mayChange && <IntegrationDialog org={org} integration={integration} onClose={close} />}
      {dialog === "delete" && mayDelete && (
        <ConfirmDialog
          title={`Delete ${name}`}
          action="Delete the integration"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          What it is sent with is gone, and so are its deliveries, also those on the way.
        </ConfirmDialog>
      )}
    </Panel>
  );
}

function targetFacts({ provider_type, provider_config, auth_config_summary }: NotificationIntegration): Fact[] {
  const { has_secret, header_count, smtp } = auth_config_summary;
  if (provider_type !== "email") {
    return [
      ["Secret", has_secret ? "stored; bodies are signed with it" : "none: bodies are not signed"],
      ["Own headers", header_count],
    ];
  }
  const account = smtp?.username === undefined ? "without signing in" : `as ${smtp.username}`;
  return [
    ["Recipients", (provider_config.recipients ?? []).join(", ")],
    ["Mail server", smtp ? `${smtp.host}:${smtp.port}, ${account}, from ${smtp.from}` : "the service's"],
  ];
}
