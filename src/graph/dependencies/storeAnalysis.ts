/**
 * Puts what an analysis says in the place of what the stack's last one said. Each statement handles a bounded number of
 * rows in a transaction of its own that first checks that no newer run took over; a repeat finds nothing left to do.
 *
 * Identities of one organization change one transaction after the other (an advisory lock): whoever comes to manage
 * what another stack reads marks that reader's edges as stale in the same transaction, and neither can miss the other's
 * rows.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Db, Tx } from "../../platform/db/client.ts";
import type { AnalysisRows, IdentityChunk } from "../analysis/threadJobs.ts";
import type { AnalysisRun } from "./newestAnalysis.ts";

/** The stack was deleted, or a newer run's analysis is being stored. */
export class SupersededError extends Error {
  override name = "SupersededError";
}

type Target = { orgId: string; stackKey: string; run: Pick<AnalysisRun, "runId" | "completedAt"> };

/**
 * Make `run` the one that counts for the stack. What was said of the one before goes; the edges stay until this one's
 * are stored.
 * @returns whether its analysis has been stored before
 * @throws SupersededError when a newer one counts already
 */
export async function beginRun(db: Db, { orgId, stackKey, run }: Target): Promise<{ known: boolean }> {
  const [row] = await db.execute<{
    known: boolean;
  }>(sql`
    insert into dependency_state as s (stack_key, org_id, run_id, run_completed_at)
    select stack_key, org_id, ${run.runId}::uuid, ${run.completedAt}::timestamptz from stacks
    where stack_key = ${stackKey}::uuid and org_id = ${orgId}::uuid and deleted_at is null
    on conflict (stack_key) do update set run_id = excluded.run_id, run_completed_at = excluded.run_completed_at,
      reconciled_at = case when s.run_id = excluded.run_id then s.reconciled_at end,
      problem = case when s.run_id = excluded.run_id then s.problem end,
      comment_errors = case when s.run_id = excluded.run_id then s.comment_errors else '[]' end,
      comment_errors_count = case when s.run_id = excluded.run_id then s.comment_errors_count else 0 end
    where s.run_id is null or (s.run_completed_at, s.run_id) <= (excluded.run_completed_at, excluded.run_id)
    returning reconciled_at is not null and (declared = 'known' or resources = 'known') as known`);
  if (row === undefined) throw new SupersededError();
  return row;
}

/** @throws SupersededError */
export async function storeAnalysis(db: Db, target: Target, { declared, identities }: AnalysisRows): Promise<void> {
  if (declared !== null) {
    await fenced(db, target, async (tx) => {
      // How many there are is not known when it is planned; taken for few they would be compared each with each.
      await tx.execute(sql`set local enable_nestloop = off`);
      await tx.execute(replaceDeclared(target, declared));
    });
  }
  let after: string | null = null;
  for (const chunk of identities?.chunks ?? []) {
    const range = { after, ...chunk, complete: identities!.complete };
    await fenced(db, target, (tx) => tx.execute(replaceIdentities(target, range)));
    after = chunk.upTo;
  }
}

/**
 * What became of the run's analysis. What the stack reads is looked at anew, also where nothing changed: the budget may
 * have.
 */
export async function endRun(db: Db, target: Target, rows: AnalysisRows | null, problem: string | null): Promise<void> {
  await db.execute(sql`
    update dependency_state set reconciled_at = svc_now(), problem = ${problem},
      comment_errors = ${JSON.stringify(rows?.commentErrors.shown ?? [])}::text::jsonb,
      comment_errors_count = ${rows?.commentErrors.count ?? 0}::integer,
      declared = ${rows?.declared == null ? "unknown" : "known"}, resources = ${rows?.identities == null ? "unknown" : "known"},
      inferred_stale = inferred_stale or ${rows?.identities != null}
    where stack_key = ${target.stackKey}::uuid and run_id = ${target.run.runId}::uuid`);
}

/** Organization first, then the stack's own row: the order everywhere in this folder. */
async function fenced(db: Db, { orgId, stackKey, run }: Target, store: (tx: Tx) => Promise<unknown>): Promise<void> {
  await db.transaction(async (tx) => {
    await lockIdentities(tx, orgId);
    const [current] = await tx.execute(sql`
      select 1 from dependency_state d join stacks s on s.stack_key = d.stack_key and s.deleted_at is null
      where d.stack_key = ${stackKey}::uuid and d.run_id = ${run.runId}::uuid for no key update of d`);
    if (current === undefined) throw new SupersededError();
    await store(tx);
  });
}

/** Held to the end of the transaction. */
export async function lockIdentities(tx: Tx, orgId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('dependencies:' || ${orgId}, 0))`);
}

/** A declaration of the stack itself is no edge. */
function replaceDeclared({ orgId, stackKey }: Target, declared: string): SQL {
  return sql`
    with incoming as materialized (
      select e ->> 0 as slug, e ->> 1 as dependency_address, e ->> 2 as dependent_address, e ->> 3 as trigger,
        e ->> 4 as file, (e ->> 5)::integer as line,
        sha256(convert_to(jsonb_build_array('declared', e -> 0, e -> 1, e -> 2)::text, 'UTF8')) as edge_hash
      from jsonb_array_elements(${declared}::jsonb) e
      where e ->> 0 <> (select slug from stacks where stack_key = ${stackKey}::uuid)
    ),
    gone as (
      delete from dependency_edges d where d.dependent_stack_key = ${stackKey}::uuid and d.provenance = 'declared'
        and not exists (select from incoming n where n.edge_hash = d.edge_hash)
    )
    insert into dependency_edges as d (org_id, dependent_stack_key, dependent_address, provenance, dependency_stack_slug,
      dependency_address, trigger, file, line, edge_hash)
    select ${orgId}::uuid, ${stackKey}::uuid, dependent_address, 'declared', slug, dependency_address, trigger, file, line, edge_hash
    from incoming
    on conflict (dependent_stack_key, edge_hash) do update
      set trigger = excluded.trigger, file = excluded.file, line = excluded.line
      where (d.trigger, d.file, d.line) is distinct from (excluded.trigger, excluded.file, excluded.line)`;
}

type Range = IdentityChunk & { after: string | null; complete: boolean };

/**
 * The addresses after `after` up to `upTo`; null is without end. An incomplete list adds and changes, and removes
 * nothing.
 */
function replaceIdentities({ orgId, stackKey }: Target, { rows, after, upTo, complete }: Range): SQL {
  return sql`
    with incoming as materialized (
      select e ->> 0 as address, e ->> 1 as mode, decode(e ->> 2, 'hex') as identity_hash
      from jsonb_array_elements(${rows}::jsonb) e
    ),
    gone as (
      delete from stack_resource_identities i where ${complete} and i.stack_key = ${stackKey}::uuid
        and (${after}::text is null or i.address > ${after}::text) and (${upTo}::text is null or i.address <= ${upTo}::text)
        and not exists (select from incoming n where n.address = i.address)
      returning mode, identity_hash
    ),
    written as (
      insert into stack_resource_identities as i (org_id, stack_key, address, mode, identity_hash)
      select ${orgId}::uuid, ${stackKey}::uuid, address, mode, identity_hash from incoming
      on conflict (stack_key, address) do update set mode = excluded.mode, identity_hash = excluded.identity_hash
        where (i.mode, i.identity_hash) is distinct from (excluded.mode, excluded.identity_hash)
      returning old.mode as old_mode, old.identity_hash as old_hash, new.mode, new.identity_hash
    ),
    changed as (
      select mode, identity_hash from gone
      union select old_mode, old_hash from written where old_mode is not null
      union select mode, identity_hash from written
    )
    ${markReaders(orgId, sql`select ${stackKey}::uuid where exists (select from changed where mode = 'data')`)}`;
}

/**
 * Ends a statement with a CTE `changed`: marks those who read what has another manager now, and `also`. Also those that
 * are marked already: a mark that this statement sees may be worked off, without what it changes, while it waits for
 * the row.
 */
export function markReaders(orgId: string, also: SQL): SQL {
  return sql`, marked as (
      select d.stack_key from dependency_state d where d.stack_key in (
        select i.stack_key from changed c
        join stack_resource_identities i on i.org_id = ${orgId}::uuid and i.identity_hash = c.identity_hash and i.mode = 'data'
        where c.mode = 'managed'
        union ${also})
      order by d.stack_key for no key update
    )
    update dependency_state s set inferred_stale = true from marked m where m.stack_key = s.stack_key`;
}
