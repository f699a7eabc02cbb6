/**
 * What a plan was given as variables: sealed before its accept, kept with it, and given to its apply
 * (docs/rules/deployments.md#variables-of-an-apply). A trigger removes the row when the deployment ends.
 */
import { sql } from "drizzle-orm";
import type { Place } from "../../../platform/crypto/envelope.ts";
import type { Keyring } from "../../../platform/crypto/keyring.ts";
import type { Queryable, Tx } from "../../../platform/db/client.ts";
import type { SqlRow } from "../../../platform/db/sqlRow.ts";
import type { RunContext } from "../../runs/protocol.ts";
import type { planEnvironments } from "./schema.ts";

type Environment = RunContext["environment"];

/** Null stands for no variables at all. */
export type SealedEnvironment = Pick<SqlRow<typeof planEnvironments, "sealed">, "sealed">;

export async function sealEnvironment(
  keyring: Keyring,
  runId: string,
  environment: Environment,
): Promise<SealedEnvironment> {
  if (environment.length === 0) return { sealed: null };
  return { sealed: await keyring.seal(Buffer.from(JSON.stringify(environment), "utf8"), place(runId)) };
}

/** Keep what the accepted plan `runId` was given. Plans that it takes the place of cannot be applied any more. */
export async function storeEnvironment(
  tx: Tx,
  runId: string,
  { sealed }: SealedEnvironment,
  earlierRunIds: readonly string[],
): Promise<void> {
  await tx.execute(sql`
    insert into plan_environments (run_id, org_id, sealed) select id, org_id, ${sealed}::bytea from runs where id = ${runId}`);
  if (earlierRunIds.length === 0) return;
  await tx.execute(sql`
    delete from plan_environments where run_id = any (${`{${earlierRunIds.join(",")}}`}::uuid[])`);
}

/** What the plan was made with, or null when nobody kept it. @throws DecryptionError */
export async function planEnvironment(db: Queryable, keyring: Keyring, runId: string): Promise<Environment | null> {
  const [row] = await db.execute<SealedEnvironment>(sql`select sealed from plan_environments where run_id = ${runId}`);
  if (row === undefined) return null;
  if (row.sealed === null) return [];
  return JSON.parse((await keyring.open(row.sealed, place(runId))).toString("utf8")) as Environment;
}

function place(runId: string): Place {
  return { table: "plan_environments", column: "sealed", rowId: runId };
}
