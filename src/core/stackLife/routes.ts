import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import type { Principal } from "../../http/principal.ts";
import { displayName } from "../../http/textFields.ts";
import type { Service } from "../../work/service.ts";
import { Stack, StackPage } from "../stacks/answer.ts";
import { authorizeStack } from "../stacks/authorizeStack.ts";
import { CreateStackBody, PatchStackBody, PutStackBody, type StackChanges } from "../stacks/settings.ts";
import { createStack, type GitRules } from "./createStack.ts";
import { deleteStack } from "./deleteStack.ts";
import { holdStack, releaseStack } from "./hold.ts";
import { listStacks, StackListQuery } from "./listStacks.ts";
import { viewStack } from "./stackView.ts";
import { updateStack } from "./updateStack.ts";

const MANY = "/api/v1/orgs/:org_id/stacks";
const ONE = "/api/v1/orgs/:org_id/stacks/:stack_id";
const tag = "stacks";

const HoldBody = v.strictObject({ reason: displayName(500) });

/** The routes of stacks. */
export function stackRoutes(app: Hono<AppEnv>, service: Service, git: GitRules): void {
  endpoint(
    app,
    "post",
    MANY,
    {
      id: "createStack",
      tag,
      summary: "Create a stack",
      description:
        "Its id is made from the name. A non-manual auto_approve_mode also needs (stack, confirm), automatic previews (stack, preview).",
      body: CreateStackBody,
      answer: Stack,
      status: 201,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) =>
      viewStack(service.db, principal, await createStack(service, git, principal, params.org_id, await body())),
  );

  endpoint(
    app,
    "get",
    MANY,
    {
      id: "listStacks",
      tag,
      summary: "List the stacks that the caller may read",
      query: StackListQuery,
      answer: StackPage,
    },
    async ({ principal, params, query }) => {
      return listStacks(service.db, principal, params.org_id, query(), service.lists);
    },
  );

  endpoint(
    app,
    "get",
    ONE,
    { id: "getStack", tag, summary: "Read a stack", answer: Stack, problems: [404] },
    async ({ principal, params }) =>
      viewStack(
        service.db,
        principal,
        await authorizeStack(service.db, principal, params.org_id, params.stack_id, "read"),
      ),
  );

  const update = async (
    principal: Principal,
    { org_id, stack_id }: { org_id: string; stack_id: string },
    body: () => Promise<StackChanges>,
  ) => {
    const { stackKey } = await authorizeStack(service.db, principal, org_id, stack_id, "update");
    return viewStack(service.db, principal, await updateStack(service, git, principal, stackKey, await body()));
  };
  const written = { tag, answer: Stack, problems: [404, 409] } as const;

  endpoint(
    app,
    "put",
    ONE,
    { id: "replaceStackSettings", summary: "Replace a stack's settings", body: PutStackBody, ...written },
    ({ principal, params, body }) => update(principal, params, body),
  );

  endpoint(
    app,
    "patch",
    ONE,
    { id: "changeStackSettings", summary: "Change some of a stack's settings", body: PatchStackBody, ...written },
    ({ principal, params, body }) => update(principal, params, body),
  );

  endpoint(
    app,
    "post",
    `${ONE}/hold`,
    {
      id: "holdStack",
      tag,
      summary: "Promote nothing new until the stack is released",
      description: "Needs (stack, confirm). Repeating it keeps the first holder and updates the reason.",
      body: HoldBody,
      answer: Stack,
      problems: [404],
    },
    async ({ principal, params, body }) => {
      const { stackKey } = await authorizeStack(service.db, principal, params.org_id, params.stack_id, "confirm");
      return viewStack(service.db, principal, await holdStack(service, principal, stackKey, (await body()).reason));
    },
  );

  endpoint(
    app,
    "post",
    `${ONE}/release`,
    { id: "releaseStack", tag, summary: "Let the queue go on; needs (stack, confirm)", answer: Stack, problems: [404] },
    async ({ principal, params }) => {
      const { stackKey } = await authorizeStack(service.db, principal, params.org_id, params.stack_id, "confirm");
      return viewStack(service.db, principal, await releaseStack(service, principal, stackKey));
    },
  );

  endpoint(
    app,
    "delete",
    ONE,
    {
      id: "deleteStack",
      tag,
      summary: "Delete a stack; with force=true also while a runner works on it or its state holds resources",
      query: v.strictObject({ force: v.optional(v.picklist(["true", "false"])) }),
      problems: [404, 409],
    },
    async ({ principal, params, query }) => {
      const { stackKey } = await authorizeStack(service.db, principal, params.org_id, params.stack_id, "delete");
      await deleteStack(service, principal, stackKey, query().force === "true");
    },
  );
}
