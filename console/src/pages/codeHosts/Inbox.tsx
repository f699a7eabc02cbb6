import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { CircleCheck, CircleX, Hourglass, type LucideIcon, RotateCw } from "lucide-react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { codeHostsKey, type InboxStatus, inboxQuery } from "../../data/codeHosts.ts";
import type { ScmEvent } from "../../data/types.ts";
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
import type { Tone } from "../../ui/status.ts";
import { Time } from "../../ui/Time.tsx";
import css from "./Page.module.css";

const KINDS: Readonly<Record<ScmEvent["kind"], string>> = {
  push_branch_changed: "Push",
  pr_changed: "Pull request changed",
  pr_closed: "Pull request closed",
  pr_refresh_requested: "Pull requests asked for",
};

const STATES: Readonly<Record<InboxStatus, { word: string; tone: Tone; icon: LucideIcon }>> = {
  pending: { word: "Waits", tone: "still", icon: Hourglass },
  failed: { word: "Tries again", tone: "wait", icon: Hourglass },
  processed: { word: "Done", tone: "ok", icon: CircleCheck },
  dead: { word: "Given up", tone: "bad", icon: CircleX },
};
const NAMES = Object.keys(STATES) as InboxStatus[];
const OPTIONS = NAMES.map((value) => ({ value: value as string, label: STATES[value].word }));

type Props = {
  org: string;
  id: string;
  state: string | undefined;
  onState: (state: string | undefined) => void;
  mayRetry: boolean;
};

/** What the host has delivered, and what became of it. */
export function Inbox({ org, id, state, onState, mayRetry }: Props) {
  const status = NAMES.find((each) => each === state);
  const list = useInfiniteQuery({ ...inboxQuery(org, id, status), placeholderData: keepPreviousData });
  const retry = useWrite(
    (event_id: string, headers) =>
      answerOf(
        api.POST("/api/v1/orgs/{org_id}/scm-integrations/{integration_id}/scm-events/{event_id}/retry", {
          params: { path: { org_id: org, integration_id: id, event_id } },
          headers,
        }),
      ),
    { changes: [[...codeHostsKey(org), "one", id]], onDone: () => toast("It is tried again from the start") },
  );
  return (
    <Panel title="Inbox">
      <div className={css.filters}>
        <FilterBar>
          <FilterSelect label="State" value={state} options={OPTIONS} onChange={onState} />
        </FilterBar>
      </div>
      <FormError error={retry.error} />
      <PagedList
        label="Inbox"
        list={list}
        empty={
          <Empty title={status ? "Nothing of this state" : "Nothing was delivered"}>
            {status ? "" : "The host delivers to the address for webhooks."}
          </Empty>
        }
        row={(event) => (
          <SplitRow
            key={event.id}
            title={KINDS[event.kind]}
            meta={
              <>
                <span>
                  {event.repository} · {event.branch}
                  {event.pr_number !== null && ` · #${event.pr_number}`}
                </span>
                <span>
                  <Time at={event.created_at} />
                </span>
                <span>
                  {event.attempts} {event.attempts === 1 ? "attempt" : "attempts"}
                </span>
                {event.status === "failed" && (
                  <span>
                    again <Time at={event.due_at} />
                  </span>
                )}
              </>
            }
            end={
              <>
                <Badge tone={STATES[event.status].tone} icon={STATES[event.status].icon}>
                  {STATES[event.status].word}
                </Badge>
                {mayRetry && (event.status === "dead" || event.status === "failed") && (
                  <Button
                    small
                    icon={<RotateCw size={14} aria-hidden />}
                    busy={retry.isPending && retry.variables === event.id}
                    onClick={() => retry.mutate(event.id)}
                    aria-label={`Retry ${event.external_event_id}`}
                  >
                    Retry
                  </Button>
                )}
              </>
            }
          >
            {event.status !== "processed" && event.last_error}
          </SplitRow>
        )}
      />
    </Panel>
  );
}
