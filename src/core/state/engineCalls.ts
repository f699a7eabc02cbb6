/**
 * What the `http` backend of an engine calls, whoever it works for: read, write, delete, lock and unlock
 * (docs/state.md#what-an-engine-is-answered). An engine shows its user no more of a refusal than its status, save a
 * lock that somebody else has.
 */
import { Readable } from "node:stream";
import { sql } from "drizzle-orm";
import type { Context } from "hono";
import { bodyStream, readJson } from "../../http/requestBody.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { SealedObjects } from "../../platform/objects/sealed.ts";
import { StorageUnavailableError } from "../../platform/objects/store.ts";
import { MalformedRequestError } from "../../platform/problems/requestErrors.ts";
import { StateForbiddenError, StateLockedError } from "./errors.ts";
import { releaseLock, takeLock } from "./lock.ts";
import { lockDocument } from "./lockDocument.ts";
import { statePlace } from "./place.ts";
import { pushState } from "./pushState.ts";
import { removeState } from "./removeState.ts";
import type { stateVersions } from "./schema.ts";
import type { StateUser } from "./stateUser.ts";
import type { StateDeps } from "./writeVersion.ts";

export type EngineDeps = StateDeps & {
  /** Largest state in bytes. */
  stateBytes: number;
};

/** Room for any lock document. */
const LOCK_BYTES = 65_536;

type Stored = Pick<SqlRow<typeof stateVersions>, "id" | "object_key" | "size" | "sha256">;

/** The newest version, or 204 before there is one. */
export async function readState(deps: EngineDeps, user: StateUser, c: Context): Promise<Response> {
  const newest = await newestVersion(deps.db, user.stackKey);
  if (newest === null) return c.body(null, 204, { "cache-control": "no-store" });
  return stateBody(deps.objects, c, newest);
}

async function newestVersion(db: Queryable, stackKey: string): Promise<Stored | null> {
  const [row] = await db.execute<Stored>(sql`
    select v.id, v.object_key, v.size, v.sha256 from stack_states s join state_versions v on v.id = s.version_id
    where s.stack_key = ${stackKey}`);
  return row ?? null;
}

/** @throws StorageUnavailableError, also when the object is missing: an engine must not take that for no state */
export async function stateBody(
  objects: Pick<SealedObjects, "getSealed">,
  c: Context,
  { id, object_key, size, sha256 }: Stored,
): Promise<Response> {
  const body = await objects.getSealed(object_key, statePlace(id), Number(size));
  if (body === null) throw new StorageUnavailableError(new Error(`state version ${id} has no object`));
  return c.body(Readable.toWeb(body) as unknown as ReadableStream, 200, {
    "content-type": "application/json",
    "content-length": String(size),
    "cache-control": "no-store",
    "repr-digest": `sha-256=:${Buffer.from(sha256 as string, "hex").toString("base64")}:`,
  });
}

export async function writeState(deps: EngineDeps, user: StateUser, c: Context): Promise<Response> {
  mustWrite(user);
  const md5 = digestOf(c.req.header("content-md5"));
  const lockId = c.req.query("ID") ?? null;
  return showingLock(c, async () => {
    const body = bodyStream(c.req.raw, deps.stateBytes);
    await pushState(deps, user, { lockId, md5, body });
    return c.body(null, 200);
  });
}

export async function deleteState(deps: EngineDeps, user: StateUser, c: Context): Promise<Response> {
  mustWrite(user);
  return showingLock(c, async () => {
    await removeState(deps.service, user, c.req.query("ID") ?? null);
    return c.body(null, 200);
  });
}

export async function lockState(deps: EngineDeps, user: StateUser, c: Context): Promise<Response> {
  mustWrite(user);
  const lock = lockDocument(await readJson(c.req.raw, LOCK_BYTES));
  return showingLock(c, async () => {
    await takeLock(deps.db, user, lock);
    return c.body(null, 200);
  });
}

/**
 * The document's ID says which lock. Some proxies take away a DELETE's body, so the query may say it too; and
 * Terraform's `force-unlock` sends neither.
 */
export async function unlockState(deps: EngineDeps, user: StateUser, c: Context): Promise<Response> {
  mustWrite(user);
  const body = await readJson(c.req.raw, LOCK_BYTES);
  const lockId = c.req.query("ID") ?? (body === undefined ? null : lockDocument(body).ID);
  return showingLock(c, async () => {
    await releaseLock(deps.db, user, lockId);
    return c.body(null, 200);
  });
}

function mustWrite(user: StateUser): void {
  if (user.kind === "run" && !user.writes) throw new StateForbiddenError();
}

function digestOf(header: string | undefined): Buffer | undefined {
  if (header === undefined) return undefined;
  const digest = Buffer.from(header, "base64");
  if (digest.length !== 16) throw new MalformedRequestError("Content-MD5 is no digest of MD5 in base64.");
  return digest;
}

async function showingLock(c: Context, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StateLockedError)) throw error;
    return c.json(error.lock, 423, { "cache-control": "no-store" });
  }
}
