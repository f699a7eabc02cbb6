/** The way so far: each part with how long it took, each run a link into its log. */
import { Link } from "@tanstack/react-router";
import type { Deployment } from "../../data/types.ts";
import { placeHash } from "../../log/logLink.ts";
import { Duration } from "../../ui/Time.tsx";
import css from "./StageLine.module.css";
import { type StageSpan, stageSpansOf } from "./stageSpans.ts";

const STATES: Record<StageSpan["state"], string> = {
  done: "done",
  now: "going on",
  "to come": "may follow",
  failed: "failed",
  stopped: "stopped",
};

export function StageLine({ deployment }: { deployment: Deployment }) {
  return (
    <ol className={css.stages} aria-label="Stages">
      {stageSpansOf(deployment).map((span) => (
        <li key={span.key} className={css.stage} data-state={span.state}>
          <span className={css.dot} aria-hidden />
          {span.stageId === null || span.from === null ? (
            <span>{span.name}</span>
          ) : (
            <Link
              from="/orgs/$org/stacks/$stack/deployments/$id"
              to="."
              search={(now) => ({ ...now, tab: "log" })}
              hash={placeHash({ stageId: span.stageId, line: 1 }).slice(1)}
            >
              {span.name}
            </Link>
          )}
          {span.from !== null && (
            <span className={css.span}>
              <Duration from={span.from} to={span.to} />
            </span>
          )}
          <span className="sr-only">{STATES[span.state]}</span>
        </li>
      ))}
    </ol>
  );
}
