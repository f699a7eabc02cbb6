/** What an apply changed, out of the analysis that its runner stored: the section `changes`. */
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { sql } from "drizzle-orm";
import { DecryptionError } from "../crypto/envelope.ts";
import type { Queryable } from "../db/client.ts";
import type { SealedObjects } from "../objects/sealed.ts";
import { artifactPlace } from "../runs/storedPlaces.ts";
import type { Changes } from "./changedParts.ts";

/** Of an analysis, inflated. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Of the list of resources, and of that of outputs; more count as unknown. */
const MAX_ITEMS = 500_000;
const MAX_ADDRESS_CHARACTERS = 1_024;

/**
 * The changes of the plan that was applied. Null, unknown, when nothing was stored, when it was removed since, and when there is
 * anything wrong with it: a runner wrote it. @throws StorageUnavailableError
 */
export async function appliedChanges(
  db: Queryable,
  objects: Pick<SealedObjects, "getSealed">,
  deploymentId: string,
): Promise<Changes> {
  const [stored] = (await db.execute(sql`
    select a.run_id, a.object_key, a.size::float8 as size from runs r
    join artifacts a on a.run_id in (r.id, r.plan_run_id) and a.kind = 'analysis'
    where r.deployment_id = ${deploymentId} and r.kind = 'apply_run' and r.status = 'success'
    order by a.run_id = r.id desc limit 1`)) as unknown as { run_id: string; object_key: string; size: number }[];
  if (stored === undefined || stored.size > MAX_BYTES) return null;
  const body = await objects.getSealed(stored.object_key, artifactPlace(stored.run_id, "analysis"));
  if (!body) return null;
  try {
    return parseChanges((await inflated(await buffer(body))).toString("utf8"));
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  } finally {
    body.destroy();
  }
}

/** @throws SyntaxError for text that is no JSON */
export function parseChanges(text: string): Changes {
  const file: unknown = JSON.parse(text);
  const changes = isRecord(file) && file.version === 1 ? file.changes : null;
  if (!isRecord(changes)) return null;
  const { resources, outputs } = changes;
  return isNames(resources) && isNames(outputs) ? { resources, outputs } : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNames(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.length <= MAX_ITEMS &&
    value.every((name) => typeof name === "string" && name.length <= MAX_ADDRESS_CHARACTERS)
  );
}

/** An analysis may be stored gzipped; two bytes tell. */
async function inflated(bytes: Buffer): Promise<Buffer> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  return promisify(gunzip)(bytes, { maxOutputLength: MAX_BYTES });
}

/** What comes of the bytes themselves, never of the store that holds them. */
function isUnreadable(error: unknown): boolean {
  if (error instanceof SyntaxError || error instanceof DecryptionError) return true;
  return error instanceof Error && "code" in error && /^(Z_|ERR_BUFFER_TOO_LARGE)/.test(String(error.code));
}
