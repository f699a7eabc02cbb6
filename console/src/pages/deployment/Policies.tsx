/** What policies said of the plan that waits, and what can be done about a denial. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { evaluatePolicies, overridePolicies } from "../../data/decisions.ts";
import { keys } from "../../data/keys.ts";
import { useMay } from "../../data/permissions.ts";
import type { DeploymentPlace } from "../../data/plans.ts";
import { policyEvaluationQuery } from "../../data/policies.ts";
import type { Deployment, PolicyEvaluation } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Actions } from "../../ui/Actions.tsx";
import { Button } from "../../ui/Button.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Time } from "../../ui/Time.tsx";
import css from "./Policies.module.css";
import { waitingPlanRun } from "./planState.ts";
import { linesOf } from "./policyLines.ts";

type Props = { place: DeploymentPlace; deployment: Deployment };

export function Policies({ place, deployment }: Props) {
  const plan = waitingPlanRun(deployment);
  const { data } = useQuery({ ...policyEvaluationQuery(place), enabled: plan !== null });
  const newest = data?.items[0];
  if (plan === null || newest === undefined || newest.plan_run_id !== plan) return null;
  return <Said place={place} deployment={deployment} evaluation={newest} />;
}

function Said({ place, deployment, evaluation }: Props & { evaluation: PolicyEvaluation }) {
  const [asks, setAsks] = useState(false);
  const may = useMay(place.org);
  const changes = [keys.deployment(place.org, place.stack, place.id), keys.deployments(place.org)];
  const again = useWrite((_: undefined, headers) => evaluatePolicies(place, headers), {
    changes,
    onDone: () => toast("The policies look at the plan once more."),
  });
  const denied = deployment.gates.some(({ code }) => code === "policy_denied");
  const lines = linesOf(evaluation.results);
  if (lines.length === 0 && evaluation.overridden_by === null) return null;
  return (
    <Notice tone={denied ? "bad" : "warn"}>
      <div className={css.said} data-policies={evaluation.outcome ?? evaluation.status}>
        <ul className={css.lines}>
          {lines.map(({ policy, text, kind }) => (
            <li key={`${policy} ${kind} ${text}`}>
              <b>{policy}</b> {text}
            </li>
          ))}
        </ul>
        {evaluation.overridden_at !== null && (
          <p>
            Overridden <Time at={evaluation.overridden_at} />: {evaluation.override_reason}
          </p>
        )}
        {denied && (
          <Actions>
            {may("policy", "override") && (
              <Button small onClick={() => setAsks(true)} data-override>
                Override...
              </Button>
            )}
            {deployment.allowed_actions.includes("confirm") && (
              <Button small busy={again.isPending} onClick={() => again.mutate(undefined)}>
                Look again
              </Button>
            )}
          </Actions>
        )}
      </div>
      {asks && (
        <OverrideDialog place={place} plan={evaluation.plan_run_id} changes={changes} onClose={() => setAsks(false)} />
      )}
    </Notice>
  );
}

type DialogProps = {
  place: DeploymentPlace;
  plan: string;
  changes: readonly (readonly unknown[])[];
  onClose: () => void;
};

function OverrideDialog({ place, plan, changes, onClose }: DialogProps) {
  const [reason, setReason] = useState("");
  const write = useWrite(
    (text: string, headers) => overridePolicies(place, { plan_run_id: plan, reason: text }, headers),
    {
      changes,
      onDone: () => {
        toast("Overridden: the plan can be confirmed now.");
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title="Override the policies"
      submit="Override"
      danger
      busy={write.isPending}
      error={write.error}
      onSubmit={() => write.mutate(reason.trim())}
      onClose={onClose}
    >
      <p>This plan may be applied although policies deny it. Another plan is looked at anew.</p>
      <Field label="Reason" hint="It stands in the audit trail, and is sent to those who are notified.">
        <input value={reason} required maxLength={500} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
