/** Every write of a deployment's page. What was on screen is read again after each, also after a refusal. */
import { useNavigate } from "@tanstack/react-router";
import { ApiError } from "../../../../clients/api/problem.ts";
import * as calls from "../../data/decisions.ts";
import { keys } from "../../data/keys.ts";
import type { DeploymentPlace } from "../../data/plans.ts";
import type { Deployment } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import type { ReplanBody } from "../../plan/selection.ts";
import { toast } from "../../shell/announce.tsx";
import type { Screen } from "./usePlanOnScreen.ts";

type Done = { warning?: string | undefined };

export function useDecisions(place: DeploymentPlace, screen: Screen, close: () => void) {
  const navigate = useNavigate();
  const { org, stack, id } = place;
  const changes = [keys.deployment(org, stack, id), keys.stack(org, stack), keys.deployments(org), keys.overview(org)];
  const said = (text: string) => (answer: Done | undefined) => {
    close();
    toast(answer?.warning === undefined ? text : `${text} ${answer.warning}`);
  };
  const open = (text: string) => (made: Pick<Deployment, "id">) => {
    close();
    toast(text);
    void navigate({ to: "/orgs/$org/stacks/$stack/deployments/$id", params: { org, stack, id: made.id } });
  };
  return {
    apply: useWrite(
      (runId: string, headers) => calls.confirmDeployment(place, { action: "apply", plan_run_id: runId }, headers),
      { changes, onDone: said("Confirmed: it is being applied.") },
    ),
    review: useWrite((body: calls.ReviewBody, headers) => calls.reviewDeployment(place, body, headers), {
      changes,
      onDone: (answer, { verdict }) => said(verdict === "approve" ? "Approved." : "Rejected.")(answer),
    }),
    breakGlass: useWrite((body: calls.BrokenGlass, headers) => calls.breakGlass(place, body, headers), {
      changes,
      onDone: said("It is being applied without its approvals."),
    }),
    replan: useWrite(
      ({ body, runId }: { body: ReplanBody; runId: string }, headers) =>
        calls.confirmDeployment(place, { ...body, plan_run_id: runId }, headers),
      {
        changes,
        onDone: (answer) => {
          screen.clear();
          said("A new plan is being made.")(answer);
        },
      },
    ),
    skip: useWrite((_: undefined, headers) => calls.decide(place, "skip", headers), {
      changes,
      onDone: said("Skipped."),
    }),
    start: useWrite((_: undefined, headers) => calls.decide(place, "confirm-preview", headers), {
      changes,
      onDone: said("The preview begins."),
    }),
    prioritize: useWrite((_: undefined, headers) => calls.decide(place, "prioritize", headers), {
      changes,
      onDone: said("It comes first now."),
    }),
    deprioritize: useWrite((_: undefined, headers) => calls.decide(place, "deprioritize", headers), {
      changes,
      onDone: said("It waits its turn again."),
    }),
    cancel: useWrite((force: boolean, headers) => calls.cancelDeployment(place, force, headers), {
      changes,
      onDone: said("Cancelled, or asked to stop."),
    }),
    retry: useWrite((_: undefined, headers) => calls.retryDeployment(place, headers), {
      changes,
      onDone: open("Deployed again: this is the new deployment."),
    }),
    hold: useWrite((reason: string, headers) => calls.holdStack(place, reason, headers), {
      changes,
      onDone: () => said("The stack is on hold.")(undefined),
    }),
    release: useWrite((_: undefined, headers) => calls.releaseStack(place, headers), {
      changes,
      onDone: () => said("The stack is released.")(undefined),
    }),
    promote: useWrite(
      ({ number, force }: { number: number; force: boolean }, headers) =>
        calls.promotePullRequest(place, number, force, headers),
      { changes, onDone: open("Promoted: this is the deployment of the reviewed commit.") },
    ),
  };
}

export type Writes = ReturnType<typeof useDecisions>;

/** Whether another plan waits than the one that was on screen. */
export function isPlanChanged(error: Error | null): boolean {
  return error instanceof ApiError && error.code === "plan_changed";
}
