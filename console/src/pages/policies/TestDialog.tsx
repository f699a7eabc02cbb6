import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { allDeploymentsQuery } from "../../data/deployments.ts";
import type { Policy } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { Notice } from "../../ui/Notice.tsx";

type Props = { org: string; policy: Policy; onClose: () => void };

/** The newest version on a plan of the past; nothing is stored. */
export function TestDialog({ org, policy, onClose }: Props) {
  const list = useInfiniteQuery(allDeploymentsQuery(org, { mode: ["plan", "destroy", "refresh"] }));
  const planned = (list.data ?? []).filter(({ stages }) => stages.some(({ run }) => run?.plan_summary != null));
  const [chosen, setChosen] = useState<string | null>(null);
  const deployment = planned.find(({ id }) => id === chosen) ?? planned[0];
  const test = useWrite((on: { stack_id: string; deployment_id: string }, headers) =>
    answerOf(
      api.POST("/api/v1/orgs/{org_id}/policies/{policy_id}/test", {
        params: { path: { org_id: org, policy_id: policy.id } },
        body: on,
        headers,
      }),
    ),
  );
  return (
    <FormDialog
      title={`Test version ${policy.last_version} of ${policy.name}`}
      submit="Test"
      busy={test.isPending}
      error={test.error}
      disabled={deployment === undefined}
      onSubmit={() =>
        deployment !== undefined && test.mutate({ stack_id: deployment.stack_id, deployment_id: deployment.id })
      }
      onClose={onClose}
    >
      <Field label="Deployment" hint="The newest ones that have a plan.">
        <select value={deployment?.id ?? ""} onChange={({ target }) => setChosen(target.value)}>
          {planned.map(({ id, stack_id, commit_message, created_at }) => (
            <option key={id} value={id}>
              {stack_id}, {created_at.slice(0, 16)}, {commit_message?.split("\n", 1)[0] ?? id}
            </option>
          ))}
        </select>
      </Field>
      {test.data !== undefined && (
        <Notice tone={test.data.outcome === "denied" ? "bad" : test.data.outcome === "warned" ? "warn" : "info"}>
          <span data-tested={test.data.outcome}>
            As a mandatory policy: {test.data.outcome}.{" "}
            {[test.data.result.error, ...test.data.result.deny, ...test.data.result.warn].filter(Boolean).join(" ")}
          </span>
        </Notice>
      )}
    </FormDialog>
  );
}
