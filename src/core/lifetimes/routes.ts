import type { Hono } from "hono";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import type { Service } from "../../work/service.ts";
import { authorizeStack } from "../stacks/authorizeStack.ts";
import { Lifetime, LifetimeBody, LifetimeChanges } from "./fields.ts";
import { prolong, readLifetime, removeLifetime, setLifetime } from "./lifetime.ts";

const ONE = "/api/v1/orgs/:org_id/stacks/:stack_id/lifetime";
const tag = "stacks";

/** Stacks for a while. */
export function lifetimeRoutes(app: Hono<AppEnv>, service: Service): void {
  endpoint(
    app,
    "get",
    ONE,
    { id: "getStackLifetime", tag, summary: "Read when a stack ends by itself", answer: Lifetime, problems: [404] },
    async ({ principal, params }) => {
      const { stackKey } = await authorizeStack(service.db, principal, params.org_id, params.stack_id, "read");
      return readLifetime(service.db, stackKey);
    },
  );
  endpoint(
    app,
    "put",
    ONE,
    {
      id: "setStackLifetime",
      tag,
      summary: "Have a stack destroyed and deleted at a time, after a reminder",
      description:
        "Needs (stack, update), (stack, deploy), (stack, confirm) and (stack, delete): its destroy is applied without another question.",
      body: LifetimeBody,
      answer: Lifetime,
      problems: [404, 409],
    },
    async ({ principal, params, body }) => {
      const stack = await authorizeStack(service.db, principal, params.org_id, params.stack_id, "update");
      return setLifetime(service, principal, stack, await body());
    },
  );
  endpoint(
    app,
    "patch",
    ONE,
    {
      id: "prolongStackLifetime",
      tag,
      summary: "Let a stack live longer; needs (stack, update)",
      description: "409 where it has no lifetime, or is being destroyed: the deployment that does is named.",
      body: LifetimeChanges,
      answer: Lifetime,
      problems: [404, 409],
    },
    async ({ principal, params, body }) => {
      const stack = await authorizeStack(service.db, principal, params.org_id, params.stack_id, "update");
      return prolong(service, principal, stack, await body());
    },
  );
  endpoint(
    app,
    "delete",
    ONE,
    { id: "removeStackLifetime", tag, summary: "Let a stack stay; needs (stack, update)", problems: [404, 409] },
    async ({ principal, params }) => {
      const stack = await authorizeStack(service.db, principal, params.org_id, params.stack_id, "update");
      await removeLifetime(service, principal, stack);
    },
  );
}
