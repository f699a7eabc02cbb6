/** Why it is where it is; ids of deployments in the sentence are links. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { DeploymentPlace } from "../../data/plans.ts";
import type { Deployment, Stack } from "../../data/types.ts";
import { Notice } from "../../ui/Notice.tsx";
import { Duration, Time } from "../../ui/Time.tsx";
import css from "./WhyLine.module.css";
import { whyOf } from "./whyLine.ts";

type Props = { place: DeploymentPlace; deployment: Deployment; stack: Stack | null; behind: number };

const ID = /\b([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b/;

export function WhyLine({ place, deployment, stack, behind }: Props) {
  const why = whyOf(deployment, stack, behind);
  const held = stack?.held_at != null;
  return (
    <>
      {held && (
        <Notice tone="warn">
          The stack is on hold{stack.held_by_actor?.name ? ` by ${stack.held_by_actor.name}` : ""}: nothing new begins
          until it is released.
          {stack.hold_reason !== null && ` Reason: ${stack.hold_reason}`}
        </Notice>
      )}
      {why !== null &&
        (deployment.status === "failed" ? (
          <Notice tone="bad">
            <span className={css.error}>{linked(why.text, place)}</span>
          </Notice>
        ) : (
          <p className={css.why} data-why>
            <b>why</b> <span>{linked(why.text, place)}</span>
            {why.since !== null && (
              <span className={css.more}>
                for <Duration from={why.since} />
              </span>
            )}
            {why.until !== null && (
              <span className={css.more}>
                skipped by policy <Time at={why.until} />
              </span>
            )}
            {why.behind > 0 && (
              <Link
                className={css.more}
                to="/orgs/$org/stacks/$stack/queue"
                params={{ org: place.org, stack: place.stack }}
              >
                {why.behind} behind it
              </Link>
            )}
          </p>
        ))}
    </>
  );
}

function linked(text: string, { org, stack }: DeploymentPlace): ReactNode[] {
  return text.split(ID).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <Link key={part} to="/orgs/$org/stacks/$stack/deployments/$id" params={{ org, stack, id: part }}>
        {part.slice(0, 8)}
      </Link>
    ),
  );
}
