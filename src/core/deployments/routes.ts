/** `/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments`: create, read, list and retry. */
import type { Hono } from "hono";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { DeploymentApprovals, readApprovals } from "../approvals/deploymentApprovals.ts";
import { authorizeStack, authorizeStackForAny } from "../stacks/authorizeStack.ts";
import { stackScope } from "../stacks/requestScope.ts";
import { acrossRoutes } from "./acrossRoutes.ts";
import { ActivityQuery, readActivity } from "./activity.ts";
import { authorizeDeployment, authorizeRetry } from "./authorizeDeployment.ts";
import { createByHand } from "./createUseCase.ts";
import { decisionRoutes } from "./decisionRoutes.ts";
import { CreateBody } from "./fields.ts";
import { DeploymentListQuery, listDeployments } from "./list.ts";
import { readQueue, StackQueue } from "./queue.ts";
import { readDeployment } from "./resource.ts";
import { ActivityPage, DeploymentPage, DeploymentResource, OneDeployment } from "./resourceSchema.ts";
import { retryDeployment } from "./retry.ts";
import { BASE, type DeploymentRoutesDeps, ONE, pathOf, tag } from "./route.ts";

export function deploymentRoutes(app: Hono<AppEnv>, deps: DeploymentRoutesDeps): void {
  const { service, headOf } = deps;
  endpoint(
    app,
    "post",
    BASE,
    {
      id: "createDeployment",
      tag,
      summary: "Create a deployment; it queues when the stack is busy",
      description: "Needs (stack, deploy), for plan_unlocked (stack, preview). Takes Idempotency-Key.",
      body: CreateBody,
      answer: DeploymentResource,
      status: 201,
      problems: [404, 409, 502, 503],
    },
    async ({ principal, params, body, c }) => {
      // Which permission it needs hangs on the body's mode; whoever may create nothing here learns nothing of the body.
      await authorizeStackForAny(service.db, principal, params.org_id, params.stack_id, ["deploy", "preview"]);
      const parsed = await body();
      return createByHand(service, headOf, {
        principal,
        orgId: params.org_id,
        stackId: params.stack_id,
        body: parsed,
        scope: (stackKey) => stackScope(c, principal, stackKey, parsed),
      });
    },
  );
  endpoint(
    app,
    "get",
    BASE,
    {
      id: "listDeployments",
      tag,
      summary: "A stack's deployments, newest first",
      query: DeploymentListQuery,
      answer: DeploymentPage,
      problems: [404],
    },
    async ({ principal, params, query }) => {
      const stack = await authorizeStack(service.db, principal, params.org_id, params.stack_id, "read");
      return listDeployments(service.db, principal, stack.stackKey, query(), service.lists);
    },
  );
  endpoint(
    app,
    "get",
    ONE,
    {
      id: "getDeployment",
      tag,
      summary: "One deployment with its stages and runs",
      answer: OneDeployment,
      problems: [404],
    },
    async ({ principal, params }) => {
      const { id } = await authorizeDeployment(service.db, principal, pathOf(params), "read");
      return { ...(await readDeployment(service.db, principal, id)), temporal_ui_url: deps.workflowPage(id) };
    },
  );
  endpoint(
    app,
    "get",
    `${ONE}/events`,
    {
      id: "listDeploymentEvents",
      tag,
      summary: "The activity log, oldest first",
      query: ActivityQuery,
      answer: ActivityPage,
      problems: [404],
    },
    async ({ principal, params, query }) => {
      const { id } = await authorizeDeployment(service.db, principal, pathOf(params), "read");
      return readActivity(service.lists ?? service.db, id, query());
    },
  );
  endpoint(
    app,
    "get",
    `${ONE}/approvals`,
    {
      id: "getDeploymentApprovals",
      tag,
      summary: "Which approvals the plan needs, who gave them and who could",
      answer: DeploymentApprovals,
      problems: [404],
    },
    async ({ principal, params }) => {
      const { id } = await authorizeDeployment(service.db, principal, pathOf(params), "read");
      return readApprovals(service.db, id);
    },
  );
  endpoint(
    app,
    "get",
    "/api/v1/orgs/:org_id/stacks/:stack_id/queue",
    {
      id: "getStackQueue",
      tag,
      summary: "Who holds the stack's lane, and who comes next",
      answer: StackQueue,
      problems: [404],
    },
    async ({ principal, params }) =>
      readQueue(
        service.db,
        principal,
        await authorizeStack(service.db, principal, params.org_id, params.stack_id, "read"),
      ),
  );
  endpoint(
    app,
    "post",
    `${ONE}/retry`,
    {
      id: "retryDeployment",
      tag,
      summary: "Deploy the same commit with the same settings and targets again",
      description: "Needs what creating the deployment needed. Takes Idempotency-Key.",
      answer: DeploymentResource,
      status: 201,
      problems: [404, 409, 422, 503],
    },
    async ({ principal, params, c }) => {
      const { id, stack_key: stackKey } = await authorizeRetry(service.db, principal, pathOf(params));
      return retryDeployment(
        service,
        deps.keyring,
        principal,
        { id, stackKey },
        stackScope(c, principal, stackKey, null),
      );
    },
  );
  decisionRoutes(app, deps);
  acrossRoutes(app, service);
}
