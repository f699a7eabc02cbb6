/** What policies said of a deployment's plan, and what people do about it. */
import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import { displayName } from "../../http/textFields.ts";
import { authorize } from "../../people/authorization/authorize.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import type { Service } from "../../work/service.ts";
import { authorizeDeployment } from "../deployments/authorizeDeployment.ts";
import { readDeployment } from "../deployments/resource.ts";
import { DeploymentResource } from "../deployments/resourceSchema.ts";
import { PolicyEvaluationPage } from "./answer.ts";
import { evaluateAgain, overridePolicies } from "./decide.ts";
import { EVALUATION_LIST, listEvaluations } from "./evaluations.ts";

const DEPLOYMENT = "/api/v1/orgs/:org_id/stacks/:stack_id/deployments/:id" as const;
const tag = "policies";

const OverrideBody = v.strictObject({
  plan_run_id: v.pipe(v.string(), v.uuid(), v.metadata({ description: "The plan that was looked at" })),
  reason: displayName(500),
});

const pathOf = (params: { org_id: string; stack_id: string; id: string }) => ({
  orgId: params.org_id,
  stackId: params.stack_id,
  deploymentId: params.id,
});

export function deploymentPolicyRoutes(app: Hono<AppEnv>, service: Service): void {
  const { db } = service;
  endpoint(
    app,
    "get",
    `${DEPLOYMENT}/policy-evaluations`,
    {
      id: "listPolicyEvaluations",
      tag,
      summary: "What policies said of a deployment's plans, newest first",
      query: v.strictObject(listFields(Object.keys(EVALUATION_LIST.fields))),
      answer: PolicyEvaluationPage,
      problems: [404],
    },
    async ({ principal, params, query }) => {
      const { id } = await authorizeDeployment(db, principal, pathOf(params), "read");
      return listEvaluations(db, id, query());
    },
  );
  endpoint(
    app,
    "post",
    `${DEPLOYMENT}/policy-evaluations`,
    {
      id: "evaluatePolicies",
      tag,
      summary: "Have the policies look at the plan that waits once more; an override ends with it",
      description: "Needs (stack, confirm).",
      answer: DeploymentResource,
      status: 202,
      problems: [404, 409],
    },
    async ({ principal, params }) => {
      const { id } = await authorizeDeployment(db, principal, pathOf(params), "confirm");
      await evaluateAgain(service, principal, { orgId: params.org_id, deploymentId: id });
      return readDeployment(db, principal, id);
    },
  );
  endpoint(
    app,
    "post",
    `${DEPLOYMENT}/policy-override`,
    {
      id: "overridePolicies",
      tag,
      summary: "Let the plan that waits be applied although policies deny it",
      description:
        "Needs (policy, override), and (stack, read). A person still confirms; another plan is looked at anew.",
      body: OverrideBody,
      answer: DeploymentResource,
      problems: [404, 409],
    },
    async ({ principal, params, body }) => {
      const { id } = await authorizeDeployment(db, principal, pathOf(params), "read");
      // As on every route below one resource, who may not is told no more than a stranger.
      const check = { orgId: params.org_id, type: "policy", action: "override" } as const;
      if (!(await authorize(db, principal, check)).granted) throw new NotFoundError();
      const { reason, plan_run_id: planRunId } = await body();
      await overridePolicies(service, principal, { orgId: params.org_id, deploymentId: id }, { reason, planRunId });
      return readDeployment(db, principal, id);
    },
  );
}
