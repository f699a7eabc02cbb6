/** What to know of the plan on screen before it is confirmed. */
import { Notice } from "../../ui/Notice.tsx";
import css from "./PlanNotices.module.css";
import { type PlanStage, stateOf } from "./planState.ts";

export function PlanNotices({ stage }: { stage: PlanStage }) {
  const summary = stage.run.plan_summary;
  const { targets, excludes, replaces } = stage.run;
  return (
    <div className={css.notices}>
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
