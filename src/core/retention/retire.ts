/**
 * Removes what has outlived its setting: logs, artifacts and activity logs by the end of their deployment; domain
 * events, decisions and idempotency keys by their age; old checks for drift as a whole. In bounded batches over
 * indexes; what a pass has no time for, the next one does. Safe to run at once in several processes: every step does
 * nothing the second time.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import type { ObjectStore } from "../../platform/objects/store.ts";
import { onePass } from "./onePass.ts";
import { markDone, nextEnded } from "./progress.ts";
import type { RetiredKind } from "./schema.ts";
import { removeArtifacts, removeLogs, removeTrees } from "./storedFiles.ts";

/** How long each kind of row or file is kept, in milliseconds. */
export type Retention = {
  logsMs: number;
  artifactsMs: number;
  treesMs: number;
  deploymentEventsMs: number;
  domainEventsMs: number;
  scmEventsMs: number;
  notificationDeliveriesMs: number;
  decisionsMs: number;
  idempotencyKeysMs: number;
  driftChecksMs: number;
};

export type Retired = {
  logChunks: number;
  artifacts: number;
  trees: number;
  deploymentEvents: number;
  domainEvents: number;
  decisions: number;
  idempotencyKeys: number;
  scmEvents: number;
  notificationDeliveries: number;
  driftChecks: number;
};

/** Deployments to a batch: their files are removed before the mark moves past them. */
const DEPLOYMENTS = 50;
const ROWS = 500;

/** @returns rows removed. @throws the first failure, after every other kind had its turn */
export async function retire(db: Db, objects: Pick<ObjectStore, "delete">, keep: Retention): Promise<Retired> {
  const failures: unknown[] = [];
  const attempt = (work: Promise<number>) =>
    work.catch((error: unknown) => {
      failures.push(error);
      return 0;
    });
  const retired: Retired = {
    idempotencyKeys: await attempt(removeOld(db, oldIdempotencyKeys(keep.idempotencyKeysMs))),
    scmEvents: await attempt(removeOld(db, oldScmEvents(keep.scmEventsMs))),
    notificationDeliveries: await attempt(removeOld(db, deadDeliveries(keep.notificationDeliveriesMs))),
    decisions: await attempt(removeOld(db, oldDecisions(keep.decisionsMs))),
    domainEvents: await attempt(removeOld(db, oldDomainEvents(keep.domainEventsMs))),
    deploymentEvents: await attempt(
      ofEnded(db, "deployment_events", keep.deploymentEventsMs, (ids) => removeDeploymentEvents(db, ids)),
    ),
    // An object store that is away must not keep the rows above from going, so what needs it comes last.
    logChunks: await attempt(ofEnded(db, "logs", keep.logsMs, (ids) => removeLogs(db, objects, ids))),
    trees: await attempt(ofEnded(db, "trees", keep.treesMs, (ids) => removeTrees(db, objects, ids))),
    artifacts: await attempt(ofEnded(db, "artifacts", keep.artifactsMs, (ids) => removeArtifacts(db, objects, ids))),
    // After its files, which nobody would find without its row.
    driftChecks: await attempt(removeOld(db, oldChecks(Math.max(keep.driftChecksMs, keep.logsMs, keep.artifactsMs)))),
  };
  if (failures.length > 0) throw failures[0];
  return retired;
}

function ofEnded(
  db: Db,
  kind: RetiredKind,
  keepMs: number,
  remove: (deploymentIds: string[]) => Promise<number>,
): Promise<number> {
  return onePass(async () => {
    const ended = await nextEnded(db, kind, keepMs, DEPLOYMENTS);
    const last = ended.at(-1);
    if (last === undefined) return { removed: 0, more: false };
    const removed = await remove(ended.map(({ id }) => id));
    await markDone(db, kind, last);
    return { removed, more: true };
  });
}

/**
 * With them goes what their dependents were given: from then on it cannot be given any more, and nobody looks at it.
 */
async function removeDeploymentEvents(db: Db, deploymentIds: readonly string[]): Promise<number> {
  await db.execute(sql`
    delete from dependent_triggers t using deployments d
    where d.id = t.parent_deployment_id and d.dependents_resolved_at is not null and d.id in (
      select value::uuid from jsonb_array_elements_text(${JSON.stringify(deploymentIds)}::jsonb))`);
  const removed = await db.execute(sql`
    delete from deployment_events where deployment_id in (
      select value::uuid from jsonb_array_elements_text(${JSON.stringify(deploymentIds)}::jsonb)) returning 1`);
  return removed.length;
}

/** @param batch removes up to `ROWS` rows and returns one row for each */
function removeOld(db: Db, batch: SQL): Promise<number> {
  return onePass(async () => {
    const { length } = await db.execute(batch);
    return { removed: length, more: length === ROWS };
  });
}

const before = (keepMs: number) => sql`svc_now() - ${keepMs}::float8 * interval '1 millisecond'`;

function oldIdempotencyKeys(keepMs: number): SQL {
  return sql`
    delete from idempotency_keys where scope_sha256 in (
      select scope_sha256 from idempotency_keys
      where created_at < ${before(keepMs)} order by created_at limit ${ROWS}::int)
    returning 1`;
}

function deadDeliveries(keepMs: number): SQL {
  return sql`
    delete from notification_deliveries where id in (
      select id from notification_deliveries where status = 'dead' and dead_at < ${before(keepMs)} order by dead_at limit ${ROWS}::int)
    returning 1`;
}

function oldScmEvents(keepMs: number): SQL {
  return sql`
    delete from scm_events where id in (
      select id from scm_events where processed_at < ${before(keepMs)} order by processed_at limit ${ROWS}::int)
    returning 1`;
}

/** A decision is looked up by its idempotency key at most a day later; its own deadline is seconds. */
function oldDecisions(keepMs: number): SQL {
  return sql`
    delete from decisions where id in (
      select id from decisions where created_at < ${before(keepMs)} order by created_at limit ${ROWS}::int)
    returning 1`;
}

/** The one that a stack's status is of stays, and so does one whose files could not be removed yet. */
function oldChecks(keepMs: number): SQL {
  return sql`
    delete from deployments where id in (
      select d.id from deployments d where d.mode = 'drift' and d.completed_at < ${before(keepMs)}
        and not exists (select from stack_drift k where k.stack_key = d.stack_key and d.id in (k.checked_id, k.check_id))
        and not exists (select from runs r join log_chunks c on c.run_id = r.id where r.deployment_id = d.id)
        and not exists (select from runs r join artifacts a on a.run_id = r.id where r.deployment_id = d.id)
      order by d.completed_at limit ${ROWS}::int)
    returning 1`;
}

/** A live deployment keeps its events, however long it waits. */
function oldDomainEvents(keepMs: number): SQL {
  return sql`
    delete from domain_events where id in (
      select e.id from domain_events e where e.occurred_at < ${before(keepMs)}
        and not exists (select from deployments d where d.id = e.deployment_id and d.completed_at is null)
      order by e.occurred_at limit ${ROWS}::int)
    returning 1`;
}
