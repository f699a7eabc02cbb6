/**
 * Taking in the archive of a local plan. It is streamed, hashed and encrypted on its way to the object store and never
 * unpacked here: that is for the runner that trusts it least. Only what can never be a source is refused at once.
 */
import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import type { Principal } from "../../http/principal.ts";
import { recordAudit } from "../../people/audit/record.ts";
import type { Db } from "../../platform/db/client.ts";
import type { SealedObjects } from "../../platform/objects/sealed.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { StackRow } from "../stacks/schema.ts";
import { sourceKey, sourcePlace, UNUSED_FOR } from "./source.ts";
import { tarOnly } from "./tarOnly.ts";

export type Upload = {
  principal: Principal;
  stack: StackRow;
  /** Lower-case hexadecimal, as the client computed it. */
  sha256: string;
  body: AsyncIterable<Uint8Array>;
};

export type UploadedSource = {
  local_source_key: string;
  local_source_sha256: string;
  size: number;
  expires_at: string;
};

/**
 * Store an archive for a later local plan of this stack.
 * @throws InvalidValueError when it is no gzipped tar or its digest differs; StorageUnavailableError; what reading
 * `body` throws
 */
export async function uploadSource(db: Db, objects: SealedObjects, upload: Upload): Promise<UploadedSource> {
  const { principal, stack, sha256 } = upload;
  const id = uuidv7();
  const key = sourceKey(id);
  await db.execute(sql`
    insert into local_sources (id, org_id, stack_key, object_key, created_by, created_by_kind)
    values (${id}, ${stack.orgId}, ${stack.stackKey}, ${key}, ${principal.id}, ${principal.kind})`);
  try {
    const stored = await objects.putSealed(key, sourcePlace(id), tarOnly(upload.body));
    if (stored.sha256 !== sha256) throw notAsSent("sha256", "is not the digest of what arrived");
    const expires_at = rfc3339(await complete(db, id, stored.size, upload));
    return { local_source_key: id, local_source_sha256: sha256, size: stored.size, expires_at };
  } catch (error) {
    // Best effort: the row still names the object for housekeeping.
    await forget(db, objects, id).catch(() => {});
    throw error;
  }
}

/** From here on the row is a source that a deployment may name. @returns when it is removed unless one does */
function complete(db: Db, id: string, size: number, { principal, stack, sha256 }: Upload): Promise<string> {
  return db.transaction(async (tx) => {
    const [whole] = await tx.execute<{ expires_at: string }>(sql`
      update local_sources set size = ${size}::bigint, sha256 = ${sha256} where id = ${id}
      returning created_at + ${UNUSED_FOR}::interval as expires_at`);
    if (!whole) throw new Error(`local source ${id} was removed during its upload`);
    await recordAudit(tx, {
      orgId: stack.orgId,
      actor: principal,
      action: "local_source.create",
      resourceId: id,
      details: { stack_id: stack.slug, size, sha256 },
    });
    return whole.expires_at;
  });
}

async function forget(db: Db, objects: SealedObjects, id: string): Promise<void> {
  await objects.delete(sourceKey(id));
  await db.execute(sql`delete from local_sources where id = ${id}`);
}

function notAsSent(field: string, message: string): InvalidValueError {
  return new InvalidValueError([{ field, message }]);
}
