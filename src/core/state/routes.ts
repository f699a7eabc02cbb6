/**
 * A stack's state for people and service accounts: what an engine calls, with the token as the password, and what
 * people look at. Reading needs (stack, read_state), changing (stack, write_state).
 */
import type { Hono, MiddlewareHandler } from "hono";
import * as v from "valibot";
import { tokenAsPassword } from "../../http/authenticate.ts";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { refuseHead } from "../../http/methods.ts";
import type { Principal } from "../../http/principal.ts";
import { displayName } from "../../http/textFields.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import { authorizeStack } from "../stacks/authorizeStack.ts";
import type { StackRow } from "../stacks/schema.ts";
import { StateChanges, StateLock, StateVersion, StateVersionPage } from "./answer.ts";
import { type CompareStates, compareVersions } from "./compareVersions.ts";
import {
  deleteState,
  type EngineDeps,
  lockState,
  readState,
  stateBody,
  unlockState,
  writeState,
} from "./engineCalls.ts";
import { StateElsewhereError, StateForbiddenError } from "./errors.ts";
import { forceUnlock } from "./lock.ts";
import { lockAnswer } from "./lockAnswer.ts";
import { restoreVersion } from "./restoreVersion.ts";
import type { StateUser } from "./stateUser.ts";
import { findVersion, listVersions, VersionListQuery, versionAnswer } from "./versions.ts";

const STACK = "/api/v1/orgs/:org_id/stacks/:stack_id";
const STATE = `${STACK}/state` as const;
const LOCK = `${STACK}/state/lock` as const;
const VERSIONS = `${STACK}/state/versions` as const;
const VERSION = `${VERSIONS}/:version_id` as const;
const JSON_TYPE = "application/json";
/** Engines say JSON; what it is called is not looked at. */
const ANY_TYPE = "application/octet-stream";
const tag = "state";

export type StateRoutesDeps = EngineDeps & { compare: CompareStates };

const Reason = v.strictObject({ reason: displayName(500) });

export function stateRoutes(app: Hono<AppEnv>, deps: StateRoutesDeps): void {
  app.use(STATE, tokenAsPassword(), neverNotFound);
  app.use(LOCK, tokenAsPassword(), neverNotFound);
  engineRoutes(app, deps);
  peopleRoutes(app, deps);
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

type Path = { org_id: string; stack_id: string };

/** For an engine, which must not take a refusal for a state that was never written. @throws StateForbiddenError */
async function engineUser(
  { db }: EngineDeps,
  principal: Principal,
  path: Path,
  action: "read_state" | "write_state",
): Promise<Extract<StateUser, { kind: "person" }> & { stack: StackRow }> {
  const stack = await authorizeStack(db, principal, path.org_id, path.stack_id, action).catch(forbidden);
  return userOf(principal, stack);
}

function userOf(principal: Principal, stack: StackRow) {
  const { orgId, stackKey, slug: stackSlug } = stack;
  return { kind: "person", orgId, stackKey, stackSlug, subject: principal, stack } as const;
}

function mustBeHere({ stack }: { stack: StackRow }): void {
  if (stack.stateMode === "own") throw new StateElsewhereError();
}

function engineRoutes(app: Hono<AppEnv>, deps: StateRoutesDeps): void {
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
      await audited(deps, user.stack, principal, { number: "newest" });
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

/** A state holds secrets: who took one is in the trail. */
async function audited(
  { db }: EngineDeps,
  stack: StackRow,
  actor: Principal,
  which: Record<string, unknown>,
): Promise<void> {
  const details = { stack_id: stack.slug, ...which };
  await recordAudit(db, { orgId: stack.orgId, actor, action: "state.read", resourceId: stack.slug, details });
}

function peopleRoutes(app: Hono<AppEnv>, deps: StateRoutesDeps): void {
  const { db, objects } = deps;
  const stackFor = (principal: Principal, { org_id, stack_id }: Path, action: "read_state" | "write_state") =>
    authorizeStack(db, principal, org_id, stack_id, action);
  endpoint(
    app,
    "get",
    LOCK,
    { id: "getStateLock", tag, summary: "Who has the lock", answer: StateLock, problems: [404] },
    async ({ principal, params }) => lockAnswer(db, await stackFor(principal, params, "read_state")),
  );
  endpoint(
    app,
    "post",
    `${STATE}/force-unlock`,
    {
      id: "forceUnlockState",
      tag,
      summary: "Take the lock away from whoever left it",
      description: "409 while a run holds it: cancel its deployment. Needs (stack, write_state).",
      body: Reason,
      problems: [404, 409],
    },
    async ({ principal, params, body }) => {
      const stack = await stackFor(principal, params, "write_state");
      await forceUnlock(db, principal, stack, (await body()).reason);
    },
  );
  endpoint(
    app,
    "get",
    VERSIONS,
    {
      id: "listStateVersions",
      tag,
      summary: "List the versions of the state, newest first",
      description: "Needs (stack, read_state).",
      query: VersionListQuery,
      answer: StateVersionPage,
      problems: [404],
    },
    async ({ principal, params, query }) =>
      listVersions(db, (await stackFor(principal, params, "read_state")).stackKey, query()),
  );
  endpoint(
    app,
    "get",
    VERSION,
    { id: "getStateVersion", tag, summary: "Read what is known of a version", answer: StateVersion, problems: [404] },
    async ({ principal, params }) => {
      const stack = await stackFor(principal, params, "read_state");
      return versionAnswer(await findVersion(db, stack.stackKey, params.version_id));
    },
  );
  app.use(`${VERSION}/body`, async (c, next) => (c.req.method === "HEAD" ? refuseHead()(c, next) : next()));
  endpoint(
    app,
    "get",
    `${VERSION}/body`,
    {
      id: "downloadStateVersion",
      tag,
      summary: "A version as an engine wrote it",
      description: "Needs (stack, read_state), and is an entry of the audit trail.",
      raw: JSON_TYPE,
      problems: [404, 503],
    },
    async ({ principal, params, c }) => {
      const stack = await stackFor(principal, params, "read_state");
      const version = await findVersion(db, stack.stackKey, params.version_id);
      await audited(deps, stack, principal, { number: Number(version.number) });
      return stateBody(objects, c, version);
    },
  );
  endpoint(
    app,
    "get",
    `${VERSION}/changes`,
    {
      id: "compareStateVersions",
      tag,
      summary: "What another version, the one before when none is named, was changed to",
      description: "Names resources, outputs and attributes, and never shows a value. Needs (stack, read_state).",
      query: v.strictObject({ from: v.optional(v.pipe(v.string(), v.uuid())) }),
      answer: StateChanges,
      problems: [404, 413, 503],
    },
    async ({ principal, params, query }) => {
      const stack = await stackFor(principal, params, "read_state");
      return compareVersions(deps, stack, params.version_id, query().from);
    },
  );
  endpoint(
    app,
    "post",
    `${VERSION}/restore`,
    {
      id: "restoreStateVersion",
      tag,
      summary: "Make a new version with the body of an older one",
      description: "Only while the lane is free and nobody has the lock. Needs (stack, write_state).",
      body: Reason,
      answer: StateVersion,
      status: 201,
      turn: "none",
      problems: [404, 409, 503],
    },
    async ({ principal, params, body }) => {
      const stack = await stackFor(principal, params, "write_state");
      const { reason } = await body();
      const id = await restoreVersion(deps, userOf(principal, stack), params.version_id, reason);
      return versionAnswer(await findVersion(db, stack.stackKey, id));
    },
  );
}
