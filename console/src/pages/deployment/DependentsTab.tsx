import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { deployDependent } from "../../data/decisions.ts";
import { keys } from "../../data/keys.ts";
import { dependentsQuery } from "../../data/plans.ts";
import { stackQuery } from "../../data/stacks.ts";
import { useWrite } from "../../data/write.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { StatusBadge } from "../../ui/StatusBadge.tsx";
import { Empty, ErrorText, Failed, Loading } from "../../ui/states.tsx";
import css from "./EventsTab.module.css";
import type { TabProps } from "./tabProps.ts";

const STATES: Record<string, string> = {
  open: "will be deployed",
  triggered: "deployed",
  manual: "waits for a person",
  skipped: "not deployed",
  failed: "could not be deployed",
};

/** The stacks that depend on this one's apply, and what each was given. */
export default function DependentsTab({ place, deployment }: TabProps) {
  const { data, error, refetch } = useQuery(dependentsQuery(place));
  const navigate = useNavigate();
  const deploy = useWrite((dependent: string, headers) => deployDependent(place, dependent, headers), {
    changes: [keys.deployment(place.org, place.stack, place.id)],
    onDone: ({ id, stack_id }) =>
      void navigate({
        to: "/orgs/$org/stacks/$stack/deployments/$id",
        params: { org: place.org, stack: stack_id, id },
      }),
  });
  if (data === undefined) {
    return error === null ? <Loading lines={4} /> : <Failed error={error} onRetry={() => void refetch()} />;
  }
  if (data.items.length === 0) {
    const why =
      deployment.completed_at === null
        ? "They are found once it has applied."
        : "No stack depended on what it applied.";
    return <Empty title="No dependents">{why}</Empty>;
  }
  return (
    <>
      {deploy.error && (
        <Notice tone="bad" alert>
          <ErrorText error={deploy.error} />
        </Notice>
      )}
      <ul className={css.events}>
        {data.items.map((item, at) => {
          const { dependent_stack_id: dependent, state, triggered_deployment_id: made } = item;
          return (
            <li key={dependent ?? `restricted ${at}`} className={css.event}>
              {dependent === null ? (
                <span className={css.what}>A stack that you may not read</span>
              ) : (
                <Link className={css.what} to="/orgs/$org/stacks/$stack" params={{ org: place.org, stack: dependent }}>
                  {dependent}
                </Link>
              )}
              {state !== null && <span>{STATES[state] ?? state}</span>}
              {item.triggered_deployment_status !== null && <StatusBadge status={item.triggered_deployment_status} />}
              {made !== null && dependent !== null && (
                <Link
                  to="/orgs/$org/stacks/$stack/deployments/$id"
                  params={{ org: place.org, stack: dependent, id: made }}
                >
                  {made.slice(0, 8)}
                </Link>
              )}
              {[item.skipped_reason, item.demotion_reason].map(
                (reason) =>
                  reason !== null &&
                  reason !== "manual_trigger" && <span key={reason}>{reason.replaceAll("_", " ")}</span>,
              )}
              {(item.error ?? item.last_failure) !== null && <span>{item.error ?? item.last_failure}</span>}
              {dependent !== null && (state === "manual" || state === "failed") && (
                <DeployIt
                  org={place.org}
                  dependent={dependent}
                  busy={deploy.isPending && deploy.variables === dependent}
                  onDeploy={deploy.mutate}
                />
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

type DeployProps = { org: string; dependent: string; busy: boolean; onDeploy: (dependent: string) => void };

/** For who may deploy the other stack; what may be done with this one says nothing of it. */
function DeployIt({ org, dependent, busy, onDeploy }: DeployProps) {
  const { data: stack } = useQuery(stackQuery(org, dependent));
  if (stack?.allowed_actions.includes("plan") !== true) return null;
  return (
    <Button small busy={busy} onClick={() => onDeploy(dependent)}>
      Deploy it
    </Button>
  );
}
