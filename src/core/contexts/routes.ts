import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import { displayName } from "../../http/textFields.ts";
import { requireResource } from "../../people/authorization/authorize.ts";
import { authorizeStack } from "../stacks/authorizeStack.ts";
import { labelsField } from "../stacks/fields.ts";
import { Context, ContextPage } from "./answer.ts";
import {
  CONTEXT_LIST,
  type ContextDeps,
  createContext,
  deleteContext,
  listContexts,
  readContext,
  updateContext,
} from "./contexts.ts";
import { readStackVariables, StackVariables } from "./stackVariables.ts";
import { VariablesField } from "./variables.ts";

/** Body of POST and PUT. The selector is required: one left out by mistake would hand the variables to every stack. */
const ContextBody = v.strictObject({
  name: displayName(100),
  selector: labelsField({ systemKeys: true }),
  variables: VariablesField,
});

const MANY = "/api/v1/orgs/:org_id/contexts";
const ONE = "/api/v1/orgs/:org_id/contexts/:context_id";
const tag = "contexts";

/** Variables and secrets for the runs of the stacks that a selector matches. */
export function contextRoutes(app: Hono<AppEnv>, deps: ContextDeps): void {
  const { service } = deps;
  const order = "Of two contexts with the same variable the one whose name comes later gives the value.";
  endpoint(
    app,
    "get",
    "/api/v1/orgs/:org_id/stacks/:stack_id/variables",
    {
      id: "listStackVariables",
      tag,
      summary: "The variables that runs of a stack get, each with the context it comes from",
      description: "Needs (stack, read) and (context, read). No secret's value is shown.",
      answer: StackVariables,
      problems: [404],
    },
    async ({ principal, params }) => {
      const stack = await authorizeStack(service.db, principal, params.org_id, params.stack_id, "read");
      await requireResource(service.db, principal, stack.orgId, { type: "context", action: "read" });
      return { items: await readStackVariables(service.db, stack) };
    },
  );
  endpoint(
    app,
    "get",
    MANY,
    {
      id: "listContexts",
      tag,
      summary: "List the contexts",
      query: v.strictObject(listFields(Object.keys(CONTEXT_LIST.fields))),
      answer: ContextPage,
      problems: [403],
    },
    async ({ principal, params, query }) => listContexts(service.db, principal, params.org_id, query()),
  );
  endpoint(
    app,
    "post",
    MANY,
    {
      id: "createContext",
      tag,
      summary: "Create a context",
      description: `Needs (label, update) on every key of the selector. ${order}`,
      body: ContextBody,
      answer: Context,
      status: 201,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) => createContext(deps, principal, params.org_id, await body()),
  );
  endpoint(
    app,
    "get",
    ONE,
    { id: "getContext", tag, summary: "Read a context, without its secrets", answer: Context, problems: [403, 404] },
    async ({ principal, params }) => readContext(service.db, principal, params.org_id, params.context_id),
  );
  endpoint(
    app,
    "put",
    ONE,
    {
      id: "replaceContext",
      tag,
      summary: "Replace a context; a secret without a value stays what it is",
      description:
        "Also needs (context, read), and (label, update) on every key of the selector as it was and as it will be.",
      body: ContextBody,
      answer: Context,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) =>
      updateContext(deps, principal, params.org_id, params.context_id, await body()),
  );
  endpoint(
    app,
    "delete",
    ONE,
    { id: "deleteContext", tag, summary: "Delete a context", problems: [403, 404] },
    async ({ principal, params }) => deleteContext(service, principal, params.org_id, params.context_id),
  );
}
