/** `/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments`: create, read, list, and a person's decisions (spec 4.5). */
import type { Context, Hono } from "hono";
import * as v from "valibot";
import type { DecisionKind } from "../../workflows/contract.ts";
import type { Principal } from "../authorization/subject.ts";
import type { Keyring } from "../crypto/keyring.ts";
import { type AppEnv, endpoint } from "../http/endpoint.ts";
import { idempotencyScope } from "../idempotency/keys.ts";
import type { GitSettings } from "../scm/resolveCommit.ts";
import type { Service } from "../service.ts";
import { authorizeStack } from "../stacks/authorizeStack.ts";
import {
  type AuthorizedDeployment,
  authorizeCancel,
  authorizeDeployment,
  authorizeRetry,
  type DeploymentPath,
} from "./authorizeDeployment.ts";
import { BulkAnswer, BulkBody, decideMany } from "./bulk.ts";
import { createByHand } from "./createUseCase.ts";
import { CancelBody, ConfirmBody, CreateBody, refuseExcludes } from "./fields.ts";
import { DeploymentListQuery, listDeployments, readActivity } from "./list.ts";
import { readQueue, StackQueue } from "./queue.ts";
import { readDeployment } from "./resource.ts";
import { ActivityPage, DecidedDeployment, DeploymentPage, DeploymentResource } from "./resourceSchema.ts";
import { retryDeployment } from "./retry.ts";
import { type DecisionSender, submitDecision } from "./submitDecision.ts";
import type { DecisionArguments } from "./transitions/decisions.ts";

export type DeploymentRoutesDeps = {
  service: Service;
  sender: DecisionSender;
  git: GitSettings;
  decisionDeadlineMs: number;
  keyring: Keyring;
};

const BASE = "/api/v1/orgs/:org_id/stacks/:stack_id/deployments";
const ONE = `${BASE}/:id` as const;
const tag = "deployments";

export function deploymentRoutes(app: Hono<AppEnv>, deps: DeploymentRoutesDeps): void {
  const { service, git } = deps;
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
      problems: [400, 404, 413, 415, 422, 502, 503],
    },
    async ({ principal, params, body, c }) => {
      // Which permission it needs hangs on the body's mode; whoever may not even read the stack learns nothing of the body.
      await authorizeStack(service.db, principal, params.org_id, params.stack_id, "read");
      const parsed = await body();
      const idempotency = scopeOf(c, principal, parsed);
      return createByHand(service, git, {
        principal,
        orgId: params.org_id,
        stackId: params.stack_id,
        body: parsed,
        idempotency,
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
      problems: [404, 422],
    },
    async ({ principal, params, query }) => {
      const stack = await authorizeStack(service.db, principal, params.org_id, params.stack_id, "read");
      return listDeployments(service.db, stack.stackKey, query());
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
      answer: DeploymentResource,
      problems: [404],
    },
    async ({ principal, params }) => {
      const { id } = await authorizeDeployment(service.db, principal, pathOf(params), "read");
      return readDeployment(service.db, id);
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
      answer: ActivityPage,
      problems: [404],
    },
    async ({ principal, params }) => {
      const { id } = await authorizeDeployment(service.db, principal, pathOf(params), "read");
      return { items: await readActivity(service.db, id) };
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
      readQueue(service.db, await authorizeStack(service.db, principal, params.org_id, params.stack_id, "read")),
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
      const { id } = await authorizeRetry(service.db, principal, pathOf(params));
      return retryDeployment(service, deps.keyring, principal, id, scopeOf(c, principal, null));
    },
  );
  decisionRoutes(app, deps);
  for (const kind of ["skip", "cancel"] as const) {
    endpoint(
      app,
      "post",
      `${BASE}/${kind}`,
      {
        id: `${kind}Deployments`,
        tag,
        summary: `${kind === "skip" ? "Skip" : "Cancel"} up to 100 deployments, the queue first; one result each`,
        body: BulkBody,
        answer: BulkAnswer,
        problems: [400, 404, 413, 415, 422],
      },
      async ({ principal, params, body }) => {
        await authorizeStack(service.db, principal, params.org_id, params.stack_id, "read");
        const { ids } = await body();
        return {
          results: await decideMany(deps, principal, { orgId: params.org_id, stackId: params.stack_id }, kind, ids),
        };
      },
    );
  }
}

const NoBody = v.strictObject({});
const decisionProblems = [400, 404, 409, 413, 415, 422, 503];

function decisionRoutes(app: Hono<AppEnv>, deps: DeploymentRoutesDeps): void {
  const { db } = deps.service;
  decision("confirm", "confirm", "Apply, replan or skip a plan that waits", ConfirmBody, (principal, path) =>
    authorizeDeployment(db, principal, path, "confirm"),
  );
  decision("confirm-preview", "confirmPreview", "Run a parked preview", NoBody, (principal, path) =>
    authorizeDeployment(db, principal, path, "preview"),
  );
  decision("skip", "skip", "Skip a queued or waiting deployment", NoBody, (principal, path) =>
    authorizeDeployment(db, principal, path, "confirm"),
  );
  decision("prioritize", "prioritize", "Put a deployment first in its queues", NoBody, (principal, path) =>
    authorizeDeployment(db, principal, path, "prioritize"),
  );
  decision("deprioritize", "deprioritize", "Take a priority back", NoBody, (principal, path) =>
    authorizeDeployment(db, principal, path, "prioritize"),
  );
  decision(
    "cancel",
    "cancel",
    "Cancel; with force, end a cancellation that the runner does not answer",
    CancelBody,
    (principal, path) => authorizeCancel(db, principal, path),
  );

  function decision(
    word: string,
    kind: DecisionKind,
    summary: string,
    body: v.GenericSchema,
    authorize: (principal: Principal, path: DeploymentPath) => Promise<AuthorizedDeployment>,
  ): void {
    endpoint(
      app,
      "post",
      `${ONE}/${word}` as `${typeof ONE}/x`,
      {
        id: `${kind}Deployment`,
        tag,
        summary,
        body,
        answer: DecidedDeployment,
        problems: decisionProblems,
      },
      async (call) => {
        const deployment = await authorize(call.principal, pathOf(call.params));
        const parsed = (await call.body()) as DecisionArguments;
        refuseExcludes(deployment.tool, parsed.excludes);
        const answer = await submitDecision(
          deps.service,
          deps.sender,
          {
            orgId: deployment.org_id,
            deploymentId: deployment.id,
            kind,
            actor: { id: call.principal.id, kind: call.principal.kind },
            arguments: parsed,
            idempotency: scopeOf(call.c, call.principal, parsed),
          },
          deps.decisionDeadlineMs,
        );
        return { ...answer.deployment, ...(answer.warning ? { warning: answer.warning } : {}) };
      },
    );
  }
}

function pathOf(params: { org_id: string; stack_id: string; id: string }): DeploymentPath {
  return { orgId: params.org_id, stackId: params.stack_id, deploymentId: params.id };
}

function scopeOf(c: Context, principal: Principal, body: unknown) {
  return idempotencyScope(principal.id, c.req.method, c.req.path, c.req.header("idempotency-key"), body);
}
