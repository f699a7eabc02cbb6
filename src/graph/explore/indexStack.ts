/**
 * Brings one stack's part of the resource index up to its newest analysis, in statements of a thousand rows: each
 * replaces a range of addresses and writes only what differs. Who stops in between goes on at the next range.
 */
import { buffer } from "node:stream/consumers";
import { sql } from "drizzle-orm";
import { readAnalysisFile } from "../../core/runs/analysisFile.ts";
import { type HandMadeState, handMadeState } from "../../core/state/handMade.ts";
import { statePlace } from "../../core/state/place.ts";
import { DecryptionError } from "../../platform/crypto/wrapping.ts";
import type { Db, Queryable, Tx } from "../../platform/db/client.ts";
import type { SealedObjects } from "../../platform/objects/sealed.ts";
import { inThread, ThreadError } from "../analysis/thread.ts";
import { MAX_ANALYSIS_BYTES, type ResourceRows } from "../analysis/threadJobs.ts";
import { type AnalysisRun, newestAnalysisRun } from "../dependencies/newestAnalysis.ts";
import { purgeStack } from "./purge.ts";

export type IndexDeps = { main: Queryable; explore: Db; objects: Pick<SealedObjects, "getSealed"> };
export type IndexedStack = { orgId: string; stackKey: string };
/** Where a stop was: ranges of this run's analysis up to `after` are written. */
export type IndexProgress = { run: string; after: string };

/** What rows come from, and when that was. */
type Source = Pick<AnalysisRun, "runId" | "completedAt">;

/** Null: the stack is as its newest analysis says. */
export async function indexStack(
  deps: IndexDeps,
  stack: IndexedStack,
  progress: IndexProgress | null,
  stop: () => boolean,
): Promise<IndexProgress | null> {
  if (!(await lives(deps.main, stack))) {
    await purgeStack(deps.explore, stack.stackKey);
    return null;
  }
  const analysis = await newestAnalysisRun(deps.main, stack.stackKey);
  const state = await handMadeState(deps.main, stack.stackKey, analysis?.completedAt ?? null);
  const run: Source | null = state === null ? analysis : { runId: state.id, completedAt: state.createdAt };
  if (run === null) return null;
  const rows = state === null ? await readRows(deps, analysis as AnalysisRun) : await stateRows(deps, state);
  if (rows === null) {
    await markUnknown(deps.explore, stack, run);
    return null;
  }
  if (!(await begin(deps.explore, stack, run))) return null;
  const after = progress?.run === run.runId ? progress.after : null;
  const stopped = await writeRows(deps.explore, stack, run, { ...rows, keepsIdentities: state !== null }, after, stop);
  if (stopped !== null) return stopped;
  await finish(deps.explore, stack, run, rows);
  // It may have been deleted meanwhile, and its purge have been done.
  if (!(await lives(deps.main, stack))) await purgeStack(deps.explore, stack.stackKey);
  return null;
}

async function lives(main: Queryable, { orgId, stackKey }: IndexedStack): Promise<boolean> {
  const rows = await main.execute(
    sql`select from stacks where stack_key = ${stackKey} and org_id = ${orgId} and deleted_at is null`,
  );
  return rows.length > 0;
}

/** Null: unknown, since the section is absent, or the file unreadable or gone. */
async function readRows({ objects }: IndexDeps, { artifact, ...run }: AnalysisRun): Promise<ResourceRows | null> {
  if (artifact === null) return null;
  try {
    const file = await readAnalysisFile(objects, { ...run, ...artifact }, MAX_ANALYSIS_BYTES);
    return file && (await inThread("resources", file));
  } catch (error) {
    if (error instanceof ThreadError || error instanceof DecryptionError) return null;
    throw error;
  }
}

/** Null: unknown, since its engine has encrypted it, or it is too large, unreadable or gone. */
async function stateRows({ objects }: IndexDeps, { id, objectKey, size }: HandMadeState): Promise<ResourceRows | null> {
  if (size > MAX_ANALYSIS_BYTES) return null;
  try {
    const body = await objects.getSealed(objectKey, statePlace(id), size);
    return body && (await inThread("stateResources", await buffer(body)));
  } catch (error) {
    if (error instanceof ThreadError || error instanceof DecryptionError) return null;
    throw error;
  }
}

/**
 * The rows stay as they are. What was indexed while its analysis was there stays known when that is past its retention.
 */
async function markUnknown(
  explore: Db,
  { orgId, stackKey }: IndexedStack,
  { runId, completedAt }: Source,
): Promise<void> {
  await explore.execute(sql`
    insert into explore.stacks as s (stack_key, org_id, run_id, run_completed_at, state)
    values (${stackKey}, ${orgId}, ${runId}, ${completedAt}::timestamptz, 'unknown')
    on conflict (stack_key) do update
      set run_id = excluded.run_id, run_completed_at = excluded.run_completed_at, state = 'unknown', complete = false
      where s.run_completed_at <= excluded.run_completed_at and not (s.run_id = excluded.run_id and s.state = 'known')`);
}

/** False: a newer analysis is written here. */
async function begin(explore: Db, { orgId, stackKey }: IndexedStack, { runId, completedAt }: Source): Promise<boolean> {
  const rows = await explore.execute(sql`
    insert into explore.stacks as s (stack_key, org_id, run_id, run_completed_at, state)
    values (${stackKey}, ${orgId}, ${runId}, ${completedAt}::timestamptz, 'loading')
    on conflict (stack_key) do update
      set run_id = excluded.run_id, run_completed_at = excluded.run_completed_at, state = 'loading', complete = false
      where s.run_completed_at <= excluded.run_completed_at
    returning 1`);
  return rows.length > 0;
}

async function writeRows(
  explore: Db,
  stack: IndexedStack,
  { runId }: Source,
  { complete, chunks, keepsIdentities }: ResourceRows & Pick<Range, "keepsIdentities">,
  after: string | null,
  stop: () => boolean,
): Promise<IndexProgress | null> {
  let from = after ?? "";
  for (const { rows, upTo } of chunks) {
    if (upTo !== null && Buffer.compare(Buffer.from(upTo), Buffer.from(from)) <= 0) continue;
    await explore.transaction(async (tx) => {
      if (await isWriter(tx, stack.stackKey, runId))
        await replaceRange(tx, stack, { rows, from, upTo, removes: complete, keepsIdentities });
    });
    if (upTo === null) return null;
    from = upTo;
    if (stop()) return { run: runId, after: from };
  }
  return null;
}

/** Its lock keeps a newer analysis waiting until the range is written. */
async function isWriter(tx: Tx, stackKey: string, runId: string): Promise<boolean> {
  const rows = await tx.execute(
    sql`select from explore.stacks where stack_key = ${stackKey} and run_id = ${runId} for no key update`,
  );
  return rows.length > 0;
}

/**
 * `removes`: what the list lacks is gone. Of an incomplete one nothing can be said to be. `keepsIdentities`: the list
 * knows none, so those that are known stay.
 */
type Range = { rows: string; from: string; upTo: string | null; removes: boolean; keepsIdentities: boolean };

async function replaceRange(
  tx: Tx,
  { orgId, stackKey }: IndexedStack,
  { rows, from, upTo, removes, keepsIdentities }: Range,
): Promise<void> {
  const kept = sql`(${keepsIdentities} and r.type = excluded.type)`;
  await tx.execute(sql`
    delete from explore.resources r
    where ${removes} and r.stack_key = ${stackKey} and r.address > ${from} and (${upTo}::text is null or r.address <= ${upTo}::text)
      and not exists (select from jsonb_array_elements(${rows}::jsonb) b where b->>0 = r.address)`);
  await tx.execute(sql`
    insert into explore.resources as r (stack_key, org_id, address, mode, type, provider, realm, identity, identity_hash)
    select ${stackKey}::uuid, ${orgId}::uuid, b->>0, b->>1, b->>2, b->>3, b->>4, b->>5, decode(b->>6, 'hex')
    from jsonb_array_elements(${rows}::jsonb) b
    on conflict (stack_key, address) do update set mode = excluded.mode, type = excluded.type, provider = excluded.provider,
      realm = case when ${kept} then r.realm else excluded.realm end,
      identity = case when ${kept} then r.identity else excluded.identity end,
      identity_hash = case when ${kept} then r.identity_hash else excluded.identity_hash end
    where (r.mode, r.type, r.provider) is distinct from (excluded.mode, excluded.type, excluded.provider)
      or not ${kept} and (r.realm, r.identity) is distinct from (excluded.realm, excluded.identity)`);
}

async function finish(
  explore: Db,
  { stackKey }: IndexedStack,
  { runId }: Source,
  { complete }: ResourceRows,
): Promise<void> {
  await explore.execute(sql`
    update explore.stacks set state = 'known', complete = ${complete}
    where stack_key = ${stackKey} and run_id = ${runId}`);
}
