/** The stored keys. */
import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import { sql } from "drizzle-orm";
import { exportJWK, type JWK } from "jose";
import { v7 as uuidv7 } from "uuid";
import type { Place } from "../../platform/crypto/envelope.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { Joined, SqlRow } from "../../platform/db/sqlRow.ts";
import type { KeyTime } from "./keySchedule.ts";
import type { identityKeys } from "./schema.ts";

const BITS = 2_048;
const generate = promisify(generateKeyPair);

export type KeyRow = SqlRow<typeof identityKeys, "private_key" | "public_jwk"> & KeyTime;

/** Where a private key is sealed. */
export const placeOf = (id: string): Place => ({ table: "identity_keys", column: "private_key", rowId: id });

/** All there are, and the database's clock. */
export async function readKeys(db: Queryable): Promise<{ nowMs: number; keys: KeyRow[] }> {
  const rows = await db.execute<{ nowMs: number } & Joined<KeyRow>>(sql`
    select (extract(epoch from t.now) * 1000)::float8 as "nowMs", k.id, k.private_key, k.public_jwk,
      (extract(epoch from k.signs_from) * 1000)::float8 as "signsFromMs"
    from (select svc_now() as now) t left join identity_keys k on true`);
  const keys = rows.flatMap(({ nowMs: _, ...row }) => (row.id === null ? [] : [row as KeyRow]));
  return { nowMs: rows[0]?.nowMs as number, keys };
}

export type NewKey = { id: string; sealed: Buffer; jwk: JWK };

export async function makeKey(keyring: Pick<Keyring, "seal">): Promise<NewKey> {
  const id = uuidv7();
  const { privateKey, publicKey } = await generate("rsa", { modulusLength: BITS });
  const pem = Buffer.from(privateKey.export({ type: "pkcs8", format: "pem" }) as string);
  return { id, sealed: await keyring.seal(pem, placeOf(id)), jwk: await exportJWK(publicKey) };
}

export async function insertKey(tx: Queryable, { id, sealed, jwk }: NewKey, signsFromMs: number): Promise<void> {
  await tx.execute(sql`
    insert into identity_keys (id, private_key, public_jwk, signs_from)
    values (${id}, ${sealed}, ${JSON.stringify(jwk)}::jsonb, to_timestamp(${signsFromMs}::float8 / 1000))`);
}

export async function deleteKeys(tx: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.execute(
    sql`delete from identity_keys where id in (${sql.join(
      ids.map((id) => sql`${id}::uuid`),
      sql`, `,
    )})`,
  );
}
