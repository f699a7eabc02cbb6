import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import type { Service } from "../../work/service.ts";
import { DecidedDeployment } from "../deployments/resourceSchema.ts";
import { authorizeStack } from "../stacks/authorizeStack.ts";
import { stackScope } from "../stacks/requestScope.ts";
import type { CommitHost } from "./host.ts";
import { listPullRequests, PullRequestListQuery, PullRequestPage } from "./list.ts";
import { promote } from "./promote.ts";
import { activeRefresh, RefreshAccepted, RefreshEvent, type RefreshInbox, requestRefresh } from "./refresh.ts";

export type PullRequestRoutesDeps = { host: CommitHost; inbox: RefreshInbox };

const MANY = "/api/v1/orgs/:org_id/stacks/:stack_id/pull-requests";
const tag = "pull requests";

/** The routes of a stack's pull requests. */
export function pullRequestRoutes(app: Hono<AppEnv>, service: Service, { host, inbox }: PullRequestRoutesDeps): void {
  endpoint(
    app,
    "get",
    MANY,
    {
      id: "listPullRequests",
      tag,
      summary: "The open pull requests that touch the stack",
      query: PullRequestListQuery,
      answer: PullRequestPage,
      problems: [404],
    },
    async ({ principal, params, query }) =>
      listPullRequests(
        service.db,
        await authorizeStack(service.db, principal, params.org_id, params.stack_id, "read"),
        query(),
      ),
  );
  endpoint(
    app,
    "post",
    `${MANY}/refresh`,
    {
      id: "refreshPullRequests",
      tag,
      summary: "Ask the code host about the branch's pull requests now",
      description: "Needs (stack, preview). The answer comes before the host was asked.",
      answer: RefreshAccepted,
      status: 202,
      problems: [404, 409],
    },
    async ({ principal, params }) =>
      requestRefresh(service, inbox, {
        principal,
        stack: await authorizeStack(service.db, principal, params.org_id, params.stack_id, "preview"),
      }),
  );
  endpoint(
    app,
    "get",
    `${MANY}/refresh`,
    {
      id: "getPullRequestRefresh",
      tag,
      summary: "The refresh that is under way; null when none is",
      description: "Needs (stack, preview).",
      answer: RefreshEvent,
      problems: [404],
    },
    async ({ principal, params }) =>
      activeRefresh(service.db, await authorizeStack(service.db, principal, params.org_id, params.stack_id, "preview")),
  );
  endpoint(
    app,
    "post",
    `${MANY}/:number/promote`,
    {
      id: "promotePullRequest",
      tag,
      summary: "Deploy exactly the commit whose preview has finished",
      description:
        "Needs (stack, deploy). Takes Idempotency-Key. 409 base_diverged where the plan would take back what the stack's commit " +
        "changes in its directory, base_unknown where the host cannot tell; force=true promotes all the same, with a warning.",
      query: v.strictObject({ force: v.optional(v.picklist(["true", "false"])) }),
      answer: DecidedDeployment,
      status: 201,
      problems: [404, 409, 422, 502, 503],
    },
    async ({ principal, params, query, c }) => {
      const stack = await authorizeStack(service.db, principal, params.org_id, params.stack_id, "deploy");
      const force = query().force === "true";
      const idempotency = stackScope(c, principal, stack.stackKey, force ? { force } : null);
      return promote(service, host, { principal, stack, number: requestNumber(params.number), force, idempotency });
    },
  );
}

/** @throws NotFoundError: what is no number names no pull request. */
function requestNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new NotFoundError();
  return Number(text);
}
