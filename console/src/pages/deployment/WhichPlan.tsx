/** Which of a deployment's plans is looked at, and that an older one is not the one that would be applied. */
import { Link } from "@tanstack/react-router";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Time } from "../../ui/Time.tsx";
import { type PlanStage, planStages, stateOf, waitingPlanRun } from "./planState.ts";
import type { TabProps } from "./tabProps.ts";
import css from "./WhichPlan.module.css";
import { WhoPlanned } from "./WhoPlanned.tsx";

export function WhichPlan({ place, deployment, screen }: TabProps) {
  const plans = planStages(deployment);
  const last = plans.at(-1);
  if (last === undefined || plans.length < 2) return null;
  const older = screen.shown !== null && screen.shown !== last.run.id && screen.shown !== waitingPlanRun(deployment);
  return (
    <div className={css.which}>
      <nav className={css.plans} aria-label="Plans of this deployment">
        {plans.map((stage, at) => (
          <PlanLink key={stage.run.id} stage={stage} number={at + 1} isLast={stage === last} shown={screen.shown} />
        ))}
      </nav>
      {older && (
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
    </div>
  );
}

type LinkProps = { stage: PlanStage; number: number; isLast: boolean; shown: string | null };

function PlanLink({ stage, number, isLast, shown }: LinkProps) {
  const { run } = stage;
  const { kind } = stateOf(stage);
  const what = kind === "coming" ? "being made" : kind === "failed" ? "failed" : isLast ? "current" : "older";
  const text = (
    <>
      <b>Plan {number}</b> {what}, <Time at={run.completed_at ?? run.created_at} />
    </>
  );
  if (kind === "coming" || kind === "failed") return <span className={css.plan}>{text}</span>;
  return (
    <Link
      from="/orgs/$org/stacks/$stack/deployments/$id"
      to="."
      search={(now) => ({ ...now, plan: run.id })}
      resetScroll={false}
      className={css.plan}
      aria-current={run.id === shown ? "true" : undefined}
    >
      {text}
    </Link>
  );
}
