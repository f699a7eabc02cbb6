/**
 * What the applies of a stack left as outputs, and what its plans without changes found, sealed. The newest that
 * succeeded counts (docs/outputs.md).
 */
import { sql } from "drizzle-orm";
import type { Place } from "../../platform/crypto/envelope.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import { DecryptionError } from "../../platform/crypto/wrapping.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { Joined, SqlRow } from "../../platform/db/sqlRow.ts";
import type { ReportedOutput } from "../runs/outputs.ts";
import type { runs } from "../runs/schema.ts";
import { changedOutputs } from "./changedOutputs.ts";
import type { stackOutputs } from "./schema.ts";

/** Runs of a stack whose outputs are kept. */
const KEPT_RUNS = 20;

export type OutputVault = { db: Queryable; keyring: Keyring };

/**
 * Keep what the running apply `runId` left, or its plan without changes found; null when that is unknown. Sent again it
 * takes the place of what was sent.
 * @returns false when there is no such run at work
 */
export async function storeOutputs(
  vault: OutputVault,
  runId: string,
  outputs: readonly ReportedOutput[] | null,
): Promise<boolean> {
  const { db, keyring } = vault;
  const changed = changedOutputs(await outputsBefore(vault, runId), outputs);
  const sealed = outputs && (await keyring.seal(Buffer.from(JSON.stringify(outputs), "utf8"), place(runId)));
  const [stored] = await db.execute<{ stack_key: string }>(sql`
    insert into stack_outputs (run_id, org_id, stack_key, sealed, changed)
    select r.id, r.org_id, d.stack_key, ${sealed}::bytea, ${sql.param(changed)}::text[]
    from runs r join deployments d on d.id = r.deployment_id
    where r.id = ${runId} and r.kind in ('apply_run', 'plan_run', 'refresh_run') and d.mode in ('plan', 'destroy', 'refresh')
      and r.status in ('running', 'requested_cancellation', 'cancelling')
    on conflict (run_id) do update set sealed = excluded.sealed, changed = excluded.changed returning stack_key`);
  if (stored === undefined) return false;
  await db.execute(sql`
    delete from stack_outputs where run_id in (
      select run_id from stack_outputs where stack_key = ${stored.stack_key}
      order by created_at desc, run_id desc offset ${KEPT_RUNS}::int)`);
  return true;
}

export type NewestOutputs = Pick<SqlRow<typeof runs>, "completed_at" | "deployment_id"> & {
  run_id: string;
} & SqlRow<typeof stackOutputs, "sealed">;

/**
 * The newest apply of a stack that succeeded, over `s`, with what it left; or a newer plan that had nothing to change
 * and told what there is. A lateral join's inside, by the index `deployments_finished_by_stack`.
 */
export const newestOutputs = sql`
  select r.id as run_id, r.deployment_id, r.completed_at::text as completed_at, o.sealed
  from deployments d join runs r on r.deployment_id = d.id left join stack_outputs o on o.run_id = r.id
  where d.stack_key = s.stack_key and d.status = 'finished' and d.mode in ('plan', 'destroy', 'refresh')
    and r.status = 'success' and (r.kind = 'apply_run' or o.run_id is not null)
  order by d.completed_at desc, d.id desc, r.kind = 'apply_run' desc limit 1`;

/** @throws DecryptionError */
export async function openOutputs(keyring: Keyring, runId: string, sealed: Buffer): Promise<ReportedOutput[]> {
  return JSON.parse((await keyring.open(sealed, place(runId))).toString("utf8")) as ReportedOutput[];
}

/** Outputs of which the apply of this deployment left another value; null when that is unknown. */
export async function outputsChangedBy(db: Queryable, deploymentId: string): Promise<string[] | null> {
  const [row] = await db.execute<SqlRow<typeof stackOutputs, "changed">>(sql`
    select o.changed from runs r join stack_outputs o on o.run_id = r.id
    where r.deployment_id = ${deploymentId} and r.kind = 'apply_run' and r.status = 'success'`);
  return row?.changed ?? null;
}

/** Those of the run's stack so far; none before the first apply, null when they are unknown. */
async function outputsBefore({ db, keyring }: OutputVault, runId: string): Promise<ReportedOutput[] | null> {
  const [row] = await db.execute<Joined<NewestOutputs>>(sql`
    select a.* from runs asking join deployments ad on ad.id = asking.deployment_id
    join stacks s on s.stack_key = ad.stack_key left join lateral (${newestOutputs}) a on true
    where asking.id = ${runId}`);
  if (row === undefined || row.run_id === null) return [];
  return openedOrNull(keyring, row);
}

/** Null also for what does not open any more: the next apply brings it anew. */
export async function openedOrNull(
  keyring: Keyring,
  { run_id, sealed }: Pick<NewestOutputs, "run_id" | "sealed">,
): Promise<ReportedOutput[] | null> {
  if (sealed === null) return null;
  try {
    return await openOutputs(keyring, run_id, sealed);
  } catch (error) {
    if (error instanceof DecryptionError) return null;
    throw error;
  }
}

function place(runId: string): Place {
  return { table: "stack_outputs", column: "sealed", rowId: runId };
}
