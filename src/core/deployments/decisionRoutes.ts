/** A person's decisions on deployments (docs/rules/transitions.md#a-decision-is-a-row). */
import type { Hono } from "hono";
import * as v from "valibot";
import type { DecisionKind } from "../../../workflows/contract.ts";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import type { Principal } from "../../http/principal.ts";
import { authorizeStackForAny } from "../stacks/authorizeStack.ts";
import { stackScope } from "../stacks/requestScope.ts";
import {
  type AuthorizedDeployment,
  authorizeCancel,
  authorizeDeployment,
  CREATE_ACTIONS,
  type DeploymentPath,
} from "./authorizeDeployment.ts";
import { BulkAnswer, BulkBody, decideMany } from "./bulk.ts";
import { CancelBody, ConfirmBody, ConfirmPreviewBody, ReviewBody, refuseExcludes } from "./fields.ts";
import { DecidedDeployment } from "./resourceSchema.ts";
import { BASE, type DeploymentRoutesDeps, ONE, pathOf, tag } from "./route.ts";
import { submitDecision } from "./submitDecision.ts";
import type { DecisionArguments } from "./transitions/decisionArguments.ts";

const NoBody = v.strictObject({});

/** Confirm, replan, skip, cancel and the rest: each is one decision, carried out by the deployment's workflow. */
export function decisionRoutes(app: Hono<AppEnv>, deps: DeploymentRoutesDeps): void {
  const { db } = deps.service;
  decision("confirm", "confirm", "Apply, replan or skip a plan that waits", ConfirmBody, (principal, path) =>
    authorizeDeployment(db, principal, path, "confirm"),
  );
  decision("confirm-preview", "confirmPreview", "Run a parked preview", ConfirmPreviewBody, (principal, path) =>
    authorizeDeployment(db, principal, path, "preview"),
  );
  decision(
    "reviews",
    "review",
    "Approve or reject the plan that waits",
    ReviewBody,
    (principal, path) => authorizeDeployment(db, principal, path, "review"),
    {
      id: "reviewDeployment",
      description: "Needs (stack, review). Of a person's reviews of a plan the newest counts.",
    },
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
  bulkRoutes(app, deps);

  function decision(
    word: string,
    kind: DecisionKind,
    summary: string,
    body: v.GenericSchema,
    authorize: (principal: Principal, path: DeploymentPath) => Promise<AuthorizedDeployment>,
    about: { id?: string; description?: string } = {},
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
        problems: [404, 409, 503],
        ...about,
      },
      async (call) => {
        const deployment = await authorize(call.principal, pathOf(call.params));
        const parsed = (await call.body()) as DecisionArguments;
        refuseExcludes(deployment.tool, parsed.excludes);
        if (parsed.break_glass !== undefined)
          await authorizeDeployment(db, call.principal, pathOf(call.params), "break_glass");
        const answer = await submitDecision(
          deps.service,
          deps.sender,
          {
            orgId: deployment.org_id,
            deploymentId: deployment.id,
            kind,
            actor: { id: call.principal.id, kind: call.principal.kind },
            arguments: parsed,
            idempotency: stackScope(call.c, call.principal, deployment.stack_key, parsed),
          },
          deps.decisionDeadlineMs,
        );
        return { ...answer.deployment, ...(answer.warning ? { warning: answer.warning } : {}) };
      },
    );
  }
}

/** What lets a person end at least one deployment of a stack; each deployment is checked on its own besides. */
const MAY_END = { skip: ["confirm"], cancel: ["confirm", ...CREATE_ACTIONS] } as const;

function bulkRoutes(app: Hono<AppEnv>, deps: DeploymentRoutesDeps): void {
  const { service } = deps;
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
        problems: [404],
        turn: "whole",
      },
      async ({ principal, params, body }) => {
        await authorizeStackForAny(service.db, principal, params.org_id, params.stack_id, MAY_END[kind]);
        const { ids } = await body();
        return {
          results: await decideMany(deps, principal, { orgId: params.org_id, stackId: params.stack_id }, kind, ids),
        };
      },
    );
  }
}
