/**
 * A stack's state as people look at it: who has the lock, its versions, what differs between two, and an older one
 * brought back. Reading needs (stack, read_state), changing (stack, write_state).
 */
import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { refuseHead } from "../../http/methods.ts";
import type { Principal } from "../../http/principal.ts";
import { displayName } from "../../http/textFields.ts";
import { authorizeStack } from "../stacks/authorizeStack.ts";
import { StateChanges, StateLock, StateVersion, StateVersionPage } from "./answer.ts";
import { type CompareDeps, compareVersions } from "./compareVersions.ts";
import { stateBody } from "./engineCalls.ts";
import { forceUnlock } from "./lock.ts";
import { lockAnswer } from "./lockAnswer.ts";
import { LOCK, STATE, type StackPath, VERSION, VERSIONS } from "./paths.ts";
import { recordRead } from "./recordRead.ts";
import { restoreVersion } from "./restoreVersion.ts";
import { personOf } from "./stateUser.ts";
import { findVersion, listVersions, VersionListQuery, versionAnswer } from "./versions.ts";
import type { StateDeps } from "./writeVersion.ts";

const JSON_TYPE = "application/json";
const tag = "state";

export type VersionRoutesDeps = StateDeps & CompareDeps;

const Reason = v.strictObject({ reason: displayName(500) });

export function versionRoutes(app: Hono<AppEnv>, deps: VersionRoutesDeps): void {
  const { db, objects } = deps;
  const stackFor = (principal: Principal, { org_id, stack_id }: StackPath, action: "read_state" | "write_state") =>
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
      await recordRead(db, stack, principal, Number(version.number));
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
      const id = await restoreVersion(deps, personOf(principal, stack), params.version_id, reason);
      return versionAnswer(await findVersion(db, stack.stackKey, id));
    },
  );
}
