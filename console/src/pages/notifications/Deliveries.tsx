import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleX, Hourglass, RotateCw } from "lucide-react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { type DeliveryFilter, deliveriesQuery, notificationsKey } from "../../data/notifications.ts";
import type { NotificationDelivery, NotificationEvent } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Badge } from "../../ui/Badge.tsx";
import { Button } from "../../ui/Button.tsx";
import { FilterBar, FilterSelect } from "../../ui/FilterBar.tsx";
import { FormError } from "../../ui/FormError.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import { EVENT_OPTIONS, EVENTS } from "./events.ts";
import css from "./Page.module.css";

const STATES = [
  { value: "pending", label: "On the way" },
  { value: "dead", label: "Given up" },
];

type Props = {
  org: string;
  /** Those of this one only. */
  integration: string | undefined;
  state: string | undefined;
  event: string | undefined;
  onFilter: (patch: { state?: string | undefined; event?: string | undefined }) => void;
  mayRetry: boolean;
};

/** What has not arrived yet, or never did. */
export function Deliveries({ org, integration, state, event, onFilter, mayRetry }: Props) {
  const filter: DeliveryFilter = {
    ...(integration && { integration_id: integration }),
    ...((state === "pending" || state === "dead") && { status: state }),
    ...(event && { event_type: event as NotificationEvent }),
  };
  const list = useInfiniteQuery({ ...deliveriesQuery(org, filter), placeholderData: keepPreviousData });
  const retry = useWrite(
    (delivery_id: string, headers) =>
      answerOf(
        api.POST("/api/v1/orgs/{org_id}/notification-deliveries/{delivery_id}/retry", {
          params: { path: { org_id: org, delivery_id } },
          headers,
        }),
      ),
    {
      changes: [[...notificationsKey(org), "deliveries"]],
      onDone: () => toast("It is sent again"),
    },
  );
  return (
    <Panel title="Deliveries">
      <div className={css.filters}>
        <FilterBar>
          <FilterSelect label="State" value={state} options={STATES} onChange={(next) => onFilter({ state: next })} />
          <FilterSelect
            label="Event"
            value={event}
            options={EVENT_OPTIONS}
            onChange={(next) => onFilter({ event: next })}
          />
        </FilterBar>
      </div>
      <FormError error={retry.error} />
      <PagedList
        label="Deliveries"
        list={list}
        empty={<Empty title="Nothing is on the way or was given up">What arrived is not kept.</Empty>}
        row={(delivery) => (
          <SplitRow
            key={delivery.id}
            title={EVENTS[delivery.event_type as NotificationEvent] ?? delivery.event_type}
            meta={<Meta org={org} delivery={delivery} withIntegration={integration === undefined} />}
            end={
              <>
                <Badge
                  tone={delivery.status === "dead" ? "bad" : "wait"}
                  icon={delivery.status === "dead" ? CircleX : Hourglass}
                >
                  {delivery.status === "dead" ? "Given up" : "On the way"}
                </Badge>
                {mayRetry && (
                  <Button
                    small
                    icon={<RotateCw size={14} aria-hidden />}
                    busy={retry.isPending && retry.variables === delivery.id}
                    onClick={() => retry.mutate(delivery.id)}
                    aria-label={`Retry ${delivery.event_type} of ${delivery.created_at}`}
                  >
                    Retry
                  </Button>
                )}
              </>
            }
          >
            {delivery.last_error}
          </SplitRow>
        )}
      />
    </Panel>
  );
}

type MetaProps = { org: string; delivery: NotificationDelivery; withIntegration: boolean };

function Meta({ org, delivery, withIntegration }: MetaProps) {
  const { stack_id: stack, deployment_id: id, attempts, last_status, next_attempt_at } = delivery;
  return (
    <>
      {withIntegration && <span>to {delivery.integration_name}</span>}
      {stack && id && (
        <Link to="/orgs/$org/stacks/$stack/deployments/$id" params={{ org, stack, id }}>
          {stack}
        </Link>
      )}
      {stack && !id && (
        <Link to="/orgs/$org/stacks/$stack" params={{ org, stack }}>
          {stack}
        </Link>
      )}
      <span>
        <Time at={delivery.created_at} />
      </span>
      <span>
        {attempts} {attempts === 1 ? "attempt" : "attempts"}
        {last_status !== null && `, the last answered ${last_status}`}
      </span>
      {next_attempt_at && (
        <span>
          again <Time at={next_attempt_at} />
        </span>
      )}
    </>
  );
}
