/** `deploy policies said|evaluate|override`: what policies said of a plan, and what a person does about it. */
import { answerOf } from "../../clients/api/client.ts";
import { type Action, type Context, sessionOf } from "../context.ts";
import { findDeployment, pathOf } from "../deployments/find.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { Failure } from "../exit/failure.ts";
import { required } from "../state/versions.ts";
import { planOf } from "../watching/stages.ts";
import { resultText } from "./results.ts";

async function found(context: Context, named: string | undefined) {
  const session = await sessionOf(context);
  const deployment = await findDeployment(session, named, context.options.stack);
  const { stackId, id } = pathOf(deployment);
  return { session, deployment, path: { org_id: session.orgId, stack_id: stackId, id } };
}

export const said: Action = async (context, named) => {
  const { screen } = context;
  const { session, deployment, path } = await found(context, named);
  const { items } = await answerOf(
    session.api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/policy-evaluations", {
      params: { path, query: { limit: 1 } },
    }),
  );
  const [newest] = items;
  screen.value(newest ?? null);
  if (newest === undefined) {
    screen.note(`No policy looked at a plan of ${deployment.stack_id} ${deployment.id}.`);
    return EXIT.done;
  }
  screen.out(resultText(newest.results));
  screen.note(newest.outcome === null ? "They are looking at it." : `It came to: ${newest.outcome}`);
  if (newest.overridden_by !== null) screen.note(`Overridden by ${newest.overridden_by}: ${newest.override_reason}`);
  return EXIT.done;
};

export const evaluate: Action = async (context, named) => {
  const { session, path } = await found(context, named);
  const deployment = await answerOf(
    session.api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/policy-evaluations", {
      params: { path },
    }),
  );
  context.screen.value(deployment);
  context.screen.note("The policies look at the plan once more.");
  return EXIT.done;
};

export const override: Action<{ reason?: string }> = async (context, named) => {
  const reason = required(context.options.reason, "An override needs a --reason.");
  const { session, deployment, path } = await found(context, named);
  const plan = planOf(deployment);
  if (plan === null) throw Failure.of(EXIT.conflict, `Deployment ${deployment.id} has no plan.`, "deploy watch");
  const after = await answerOf(
    session.api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/policy-override", {
      params: { path },
      body: { plan_run_id: plan.runId, reason },
    }),
  );
  context.screen.value(after);
  context.screen.note(`Overridden. It still waits for a person: deploy confirm ${after.stack_id}/${after.id}`);
  return EXIT.done;
};
