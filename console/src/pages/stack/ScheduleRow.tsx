import type { Schedule } from "../../data/types.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Button } from "../../ui/Button.tsx";
import { MODES } from "../../ui/deploymentText.ts";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Instant, Time } from "../../ui/Time.tsx";
import { cronText, lastText } from "./scheduleText.ts";

type Props = {
  org: string;
  stack: string;
  schedule: Schedule;
  mayUpdate: boolean;
  onPause: () => void;
  onDelete: () => void;
};

/** One schedule; it leads to the deployment that it made last. */
export function ScheduleRow({ org, stack, schedule, mayUpdate, onPause, onDelete }: Props) {
  const { name, mode, at, next_at, paused, last, selector } = schedule;
  const made = last?.deployment_id ?? null;
  const link =
    made === null
      ? ({ to: "/orgs/$org/stacks/$stack/schedules", params: { org, stack } } as const)
      : ({ to: "/orgs/$org/stacks/$stack/deployments/$id", params: { org, stack, id: made } } as const);
  return (
    <SplitRow
      link={link}
      title={name}
      meta={
        <>
          <span>{MODES[mode]}</span>
          {at === null ? <code>{cronText(schedule)}</code> : <Instant at={at} />}
          {next_at !== null && (
            <span>
              next <Time at={next_at} />
            </span>
          )}
          {last !== null && (
            <span>
              <Time at={last.occurs_at} />: {lastText(last)}
            </span>
          )}
          {selector !== null && <span>of the organization</span>}
        </>
      }
      end={
        <>
          {paused && <Badge tone="wait">Paused</Badge>}
          {mayUpdate && (
            <>
              <Button small onClick={onPause}>
                {paused ? "Resume" : "Pause"}
                <span className="sr-only"> {name}</span>
              </Button>
              <Button small onClick={onDelete}>
                Delete<span className="sr-only"> {name}</span>
              </Button>
            </>
          )}
        </>
      }
    />
  );
}
