/** What an engine calls, with the token of a person or service account as its password (docs/state.md). */
import type { Hono, MiddlewareHandler } from "hono";
import { tokenAsPassword } from "../../http/authenticate.ts";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { refuseHead } from "../../http/methods.ts";
import type { Principal } from "../../http/principal.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import { authorizeStack } from "../stacks/authorizeStack.ts";
import type { StackRow } from "../stacks/schema.ts";
import { deleteState, type EngineDeps, lockState, readState, unlockState, writeState } from "./engineCalls.ts";
import { StateElsewhereError, StateForbiddenError } from "./errors.ts";
import { LOCK, STATE, type StackPath } from "./paths.ts";
import { recordRead } from "./recordRead.ts";
import { personOf, type StateUser } from "./stateUser.ts";

const JSON_TYPE = "application/json";
/** Engines say JSON; what it is called is not looked at. */
const ANY_TYPE = "application/octet-stream";
const tag = "state";

export function engineRoutes(app: Hono<AppEnv>, deps: EngineDeps): void {
  app.use(STATE, tokenAsPassword(), neverNotFound);
  app.use(LOCK, tokenAsPassword(), neverNotFound);
  app.use(STATE, async (c, next) => (c.req.method === "HEAD" ? refuseHead()(c, next) : next()));
  endpoint(
    app,
    "get",
    STATE,
    {
      id: "readState",
      tag,
      summary: "The newest state, as an engine wrote it",
      description: "For the `http` backend of an engine, with a token as the password. Needs (stack, read_state).",
      raw: JSON_TYPE,
      orNothing: "There is none",
      problems: [403, 503],
    },
    async ({ principal, params, c }) => {
      const user = await engineUser(deps, principal, params, "read_state");
      await recordRead(deps.db, user.stack, principal, "newest");
      return readState(deps, user, c);
    },
  );
  endpoint(
    app,
    "post",
    STATE,
    {
      id: "writeState",
      tag,
      summary: "Store a newer state; `ID` in the query is the lock's",
      description: "423 with the lock's document when somebody else has it. Needs (stack, write_state).",
      rawBody: ANY_TYPE,
      raw: JSON_TYPE,
      problems: [403, 409, 422, 503],
    },
    async ({ principal, params, c }) => {
      const user = await engineUser(deps, principal, params, "write_state");
      mustBeHere(user);
      return writeState(deps, user, c);
    },
  );
  endpoint(
    app,
    "delete",
    STATE,
    {
      id: "deleteState",
      tag,
      summary: "Let the stack have no state; its versions stay and can be restored",
      description: "423 with the lock's document when somebody else has it. Needs (stack, write_state).",
      raw: JSON_TYPE,
      turn: "none",
      problems: [403],
    },
    async ({ principal, params, c }) => deleteState(deps, await engineUser(deps, principal, params, "write_state"), c),
  );
  endpoint(
    app,
    "put",
    LOCK,
    {
      id: "lockState",
      tag,
      summary: "Lock the state",
      description: "423 with the lock's document when somebody else has it. Needs (stack, write_state). Also as LOCK.",
      rawBody: JSON_TYPE,
      raw: JSON_TYPE,
      aliases: ["LOCK"],
      problems: [403, 409],
    },
    async ({ principal, params, c }) => {
      const user = await engineUser(deps, principal, params, "write_state");
      mustBeHere(user);
      return lockState(deps, user, c);
    },
  );
  endpoint(
    app,
    "delete",
    LOCK,
    {
      id: "unlockState",
      tag,
      summary: "Give the lock back, by the ID of its document or in the query",
      description: "Needs (stack, write_state). Also as UNLOCK.",
      raw: JSON_TYPE,
      aliases: ["UNLOCK"],
      turn: "none",
      problems: [400, 403, 413, 415],
    },
    async ({ principal, params, c }) => unlockState(deps, await engineUser(deps, principal, params, "write_state"), c),
  );
}

/** Nor for a credential of another organization, which is refused before any route is asked. */
const neverNotFound: MiddlewareHandler<AppEnv> = async (c, next) => {
  const { authenticate } = c.var;
  const isForPeople = c.req.method === "GET" && c.req.path.endsWith("/lock");
  if (!isForPeople) c.set("authenticate", (call) => authenticate(call).catch(forbidden));
  await next();
};

function forbidden(error: unknown): never {
  throw error instanceof NotFoundError ? new StateForbiddenError() : error;
}

/** For an engine, which must not take a refusal for a state that was never written. @throws StateForbiddenError */
async function engineUser(
  { db }: EngineDeps,
  principal: Principal,
  path: StackPath,
  action: "read_state" | "write_state",
): Promise<Extract<StateUser, { kind: "person" }> & { stack: StackRow }> {
  const stack = await authorizeStack(db, principal, path.org_id, path.stack_id, action).catch(forbidden);
  return { ...personOf(principal, stack), stack };
}

function mustBeHere({ stack }: { stack: StackRow }): void {
  if (stack.stateMode === "own") throw new StateElsewhereError();
}
