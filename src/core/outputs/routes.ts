/** `.../stacks/{stack_id}/outputs` and `.../output-readers`: what a stack left, and to whom it is given. */
import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import type { Principal } from "../../http/principal.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Service } from "../../work/service.ts";
import { authorizeStack } from "../stacks/authorizeStack.ts";
import { OutputReader, OutputReaders, StackOutput, StackOutputs } from "./answer.ts";
import { listReaders, removeReader, setReader } from "./readers.ts";
import { readOutput, readOutputs, revealOutput } from "./readOutputs.ts";

const OUTPUTS = "/api/v1/orgs/:org_id/stacks/:stack_id/outputs";
const OUTPUT = "/api/v1/orgs/:org_id/stacks/:stack_id/outputs/:name";
const READERS = "/api/v1/orgs/:org_id/stacks/:stack_id/output-readers";
const READER = "/api/v1/orgs/:org_id/stacks/:stack_id/output-readers/:dependent_stack_id";
const tag = "outputs";

const Body = v.strictObject({ sensitive: v.optional(v.boolean(), false) });

export function outputsRoutes(app: Hono<AppEnv>, { service, keyring }: { service: Service; keyring: Keyring }): void {
  const { db } = service;
  const vault = { db, keyring };
  const stackFor = (
    principal: Principal,
    { org_id, stack_id }: { org_id: string; stack_id: string },
    action: "read_outputs" | "read_state" | "update",
  ) => authorizeStack(db, principal, org_id, stack_id, action);
  endpoint(
    app,
    "get",
    OUTPUTS,
    {
      id: "getStackOutputs",
      tag,
      summary: "What the newest apply of a stack left as outputs",
      description: "Shows nothing of what is sensitive. Needs (stack, read_outputs).",
      answer: StackOutputs,
      problems: [404, 503],
    },
    async ({ principal, params }) => readOutputs(vault, principal, await stackFor(principal, params, "read_outputs")),
  );
  endpoint(
    app,
    "get",
    OUTPUT,
    {
      id: "getStackOutput",
      tag,
      summary: "One output; with reveal=true its value although it is sensitive",
      description:
        "Needs (stack, read_outputs). With reveal=true also (stack, read_state), since a state shows as much; taking a sensitive value is an entry of the audit trail.",
      query: v.strictObject({ reveal: v.optional(v.picklist(["true", "false"])) }),
      answer: StackOutput,
      problems: [404, 503],
    },
    async ({ principal, params, query }) => {
      const stack = await stackFor(principal, params, "read_outputs");
      if (query().reveal !== "true") return readOutput(vault, stack, params.name);
      await stackFor(principal, params, "read_state");
      return revealOutput(vault, principal, stack, params.name);
    },
  );
  endpoint(
    app,
    "get",
    READERS,
    {
      id: "listOutputReaders",
      tag,
      summary: "The stacks that are given a stack's outputs",
      description: "Needs (stack, read_outputs).",
      answer: OutputReaders,
      problems: [404],
    },
    async ({ principal, params }) => listReaders(db, await stackFor(principal, params, "read_outputs")),
  );
  endpoint(
    app,
    "put",
    READER,
    {
      id: "setOutputReader",
      tag,
      summary: "Let another stack have the outputs of this one",
      description:
        "Needs (stack, read_outputs) on this stack and (stack, update) on the other; for what is sensitive (stack, update) on this one as well.",
      body: Body,
      answer: OutputReader,
      problems: [404],
    },
    async ({ principal, params, body }) => {
      const stack = await stackFor(principal, params, "read_outputs");
      const reader = await stackFor(principal, { ...params, stack_id: params.dependent_stack_id }, "update");
      const { sensitive } = await body();
      if (sensitive) await stackFor(principal, params, "update");
      return setReader(service, principal, stack, reader, sensitive);
    },
  );
  endpoint(
    app,
    "delete",
    READER,
    {
      id: "removeOutputReader",
      tag,
      summary: "Give another stack no outputs any more; plans that were made keep what they got",
      description: "Needs (stack, update) on the stack that gives.",
      problems: [404],
    },
    async ({ principal, params }) =>
      removeReader(service, principal, await stackFor(principal, params, "update"), params.dependent_stack_id),
  );
}
