/** What to know of the plan on screen before it is confirmed. */
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import css from "./PlanNotices.module.css";
import { type PlanStage, planStateOf, stateOf, waitingPlanRun } from "./planState.ts";
import type { TabProps } from "./tabProps.ts";
import { WhoPlanned } from "./WhoPlanned.tsx";

export function PlanNotices({ place, deployment, screen, stage }: TabProps & { stage: PlanStage | null }) {
  if (stage === null) return null;
  const summary = stage.run.plan_summary;
  const waiting = waitingPlanRun(deployment);
  const next = planStateOf(deployment);
  const replaced =
    waiting !== stage.run.id && "stage" in next && next.stage !== null && next.stage.run.id !== stage.run.id;
  const { targets, excludes, replaces } = stage.run;
  return (
    <div className={css.notices}>
      {replaced && (
        <Notice tone="warn">
          <span data-plan-replaced>
            What is shown is an older plan and cannot be applied any more.{" "}
            <WhoPlanned place={place} deployment={deployment} />
          </span>{" "}
          {screen.newer !== null && (
            <Button small kind="primary" onClick={screen.showNewer}>
              Look at the newer plan
            </Button>
          )}
        </Notice>
      )}
      {stateOf(stage).kind === "unmeasured" && (
        <Notice tone="warn">
          <span data-unmeasured>
            This plan could not be measured: how much it changes is not known.{" "}
            {(summary?.gaps ?? ["The run sent no summary."]).join("; ")}
          </span>
        </Notice>
      )}
      {summary !== null && summary.counts !== null && summary.gaps.length > 0 && (
        <Notice tone="warn">Not counted: {summary.gaps.join("; ")}</Notice>
      )}
      {(summary?.warnings ?? []).map((warning) => (
        <Notice key={warning} tone="warn">
          {warning}
        </Notice>
      ))}
      <Narrowed label="Planned only" addresses={targets} />
      <Narrowed label="Planned without" addresses={excludes} />
      <Narrowed label="Replacement was asked for" addresses={replaces} />
    </div>
  );
}

function Narrowed({ label, addresses }: { label: string; addresses: readonly string[] }) {
  if (addresses.length === 0) return null;
  return (
    <Notice>
      {label}:{" "}
      {addresses.map((address) => (
        <code key={address} className={css.address}>
          {address}
        </code>
      ))}
    </Notice>
  );
}
