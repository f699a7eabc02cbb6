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
import { Facts } from "../../ui/Facts.tsx";
import { FormError } from "../../ui/FormError.tsx";
import { Labels } from "../../ui/Labels.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import { EVENTS } from "./events.ts";
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

const TOLD: Readonly<Record<string, string>> = {
  "2xx": "The sample arrived.",
  "3xx": "It was sent elsewhere (3xx), which is not followed.",
  "4xx": "The target refused it (4xx).",
  "5xx": "The target failed (5xx).",
  no_answer: "The target did not answer.",
};

type IntegrationProps = Omit<Props, "id"> & { integration: NotificationIntegration };

function Integration({ org, integration, dialog, onDialog, onGone }: IntegrationProps) {
  const may = useMay(org);
  const { id, name, enabled, events, stack_label_selector: selector, auth_config_summary: auth } = integration;
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
              {TOLD[test.data.result] ?? test.data.result}
            </Notice>
          )}
        </div>
      )}
      <Facts
        facts={[
          ["State", enabled ? "enabled" : "disabled: nothing is sent"],
          ["Form", integration.provider_type === "chat" ? "a message to a chat" : "JSON to a program"],
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
          ["Secret", auth.has_secret ? "stored; bodies are signed with it" : "none: bodies are not signed"],
          ["Own headers", auth.header_count],
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
          Its address, secret and headers are gone, and its deliveries, also those on the way.
        </ConfirmDialog>
      )}
    </Panel>
  );
}
