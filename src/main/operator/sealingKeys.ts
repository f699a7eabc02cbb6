/**
 * At boot: whether the listed keys are those of this database. With others every secret written would be lost to the
 * other processes.
 */
import { sql } from "drizzle-orm";
import type { RotatingKeyring } from "../../platform/crypto/keyring.ts";
import { connect, type Db } from "../../platform/db/client.ts";
import { ConfigError } from "../../platform/settings/setting.ts";
import { SEALED_COLUMNS } from "./sealedColumns.ts";

/** Of each column: a rotation that was interrupted leaves some under either key, and both are listed. */
const SAMPLE = 20;
const GIVE_UP_MS = 2_000;

/**
 * Passes when nothing is sealed yet, when one of the values looked at is under a listed key, and when the database is
 * away.
 * @throws ConfigError when none is
 */
export async function checkSealingKeys(databaseUrl: string, keyring: Pick<RotatingKeyring, "knows">): Promise<void> {
  const db = connect(databaseUrl, { max: 1, name: "svc-boot" });
  const found = await inTime(sampleKeyIds(db)).catch(() => []);
  await db.$client.end({ timeout: 0 });
  if (found.length === 0 || found.some((keyId) => keyring.knows(keyId))) return;
  throw new ConfigError(
    "SVC_DATA_ENCRYPTION_KEY, with the other keys that are set, opens none of the secrets in the database; for example the key they were sealed with, in SVC_DATA_ENCRYPTION_PREVIOUS_KEYS",
  );
}

/** The ids of the keys that some sealed values of each column are under; a few rows are read of each. */
async function sampleKeyIds(db: Db): Promise<Buffer[]> {
  const samples = SEALED_COLUMNS.map(({ table, column }) => {
    const sealed = sql.identifier(column);
    return sql`(select substring(${sealed} from 3 for get_byte(${sealed}, 1)) as key_id from ${sql.identifier(table)}
      where ${sealed} is not null and length(${sealed}) > 2 limit ${SAMPLE}::int)`;
  });
  const rows = await db.execute<{ key_id: Buffer }>(sql.join(samples, sql` union `));
  return rows.map(({ key_id }) => key_id);
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the database took too long")), GIVE_UP_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
