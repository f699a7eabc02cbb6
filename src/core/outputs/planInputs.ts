/**
 * The outputs of other stacks that a plan was given: kept with it, and given to its apply. A trigger removes the row
 * when the deployment ends.
 */
import { sql } from "drizzle-orm";
import type { Place } from "../../platform/crypto/envelope.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { RunContext } from "../runs/protocol.ts";
import type { OutputVault } from "./outputs.ts";
import type { planInputs } from "./schema.ts";

export type Inputs = RunContext["environment"];

/**
 * Keep what the plan `runId` is given, and give what is kept: one that asks again, since an answer was lost, gets the
 * same. Plans that it takes the place of cannot be applied any more.
 * @throws DecryptionError
 */
export async function keepInputs({ db, keyring }: OutputVault, runId: string, inputs: Inputs): Promise<Inputs> {
  const sealed = await keyring.seal(Buffer.from(JSON.stringify(inputs), "utf8"), place(runId));
  await db.execute(sql`
    with kept as (
      insert into plan_inputs (run_id, org_id, sealed)
      select id, org_id, ${sealed}::bytea from runs where id = ${runId} and status = 'running'
      on conflict (run_id) do nothing)
    delete from plan_inputs where run_id in (
      select o.id from runs r join runs o on o.deployment_id = r.deployment_id and o.id <> r.id where r.id = ${runId})`);
  return (await inputsOfPlan({ db, keyring }, runId)) ?? inputs;
}

/** Null when the plan was given none. @throws DecryptionError */
export async function inputsOfPlan({ db, keyring }: OutputVault, runId: string): Promise<Inputs | null> {
  const row = await kept(db, runId);
  return row && (JSON.parse((await keyring.open(row.sealed, place(runId))).toString("utf8")) as Inputs);
}

async function kept(db: Queryable, runId: string): Promise<SqlRow<typeof planInputs, "sealed"> | null> {
  const [row] = await db.execute<SqlRow<typeof planInputs, "sealed">>(
    sql`select sealed from plan_inputs where run_id = ${runId}`,
  );
  return row ?? null;
}

function place(runId: string): Place {
  return { table: "plan_inputs", column: "sealed", rowId: runId };
}
