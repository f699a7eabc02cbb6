/**
 * Makes the deployments of occurrences that are due. The row of an occurrence is the claim: whoever locks it and finds
 * it due makes the deployment in the same transaction, so that no repetition makes another.
 */
import { sql } from "drizzle-orm";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import { isDatabaseOutage } from "../../platform/problems/databaseOutage.ts";
import { inNewTrace } from "../../platform/telemetry/traceContext.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import type { Head, HeadOf } from "../deployments/head.ts";
import { createDeployment } from "../deployments/transitions/create.ts";
import { failureOf, recordFailure } from "./failure.ts";
import { type OccurrenceKey, ofOccurrence } from "./occurrence.ts";
import type { ScheduledMode, SkipReason } from "./schema.ts";
import { commandOf } from "./script.ts";
import { tellMissed } from "./tell.ts";

export type ScheduleDeps = {
  service: Service;
  keyring: Keyring;
  headOf: HeadOf;
  /** Told of a failure that nobody foresaw; it is tried again. */
  onUnexpected?: (error: unknown, about: { orgId: string; stackKey: string }) => void;
};

type Due = OccurrenceKey & { org_id: string; repository_url: string; branch: string; skip: SkipReason | null };

/** Of an occurrence `o`, its schedule `c` and its stack `s`: why there is none; null when there may be. */
const SKIP = sql`case when s.deleted_at is not null then 'deleted' when c.paused then 'paused' when s.held_at is not null then 'held'
  when exists (
    select from deployments d where d.completed_at is null and d.id = (
      select e.deployment_id from schedule_occurrences e
      where e.schedule_id = o.schedule_id and e.stack_key = o.stack_key and e.status = 'created'
      order by e.occurs_at desc limit 1)
  ) then 'earlier_open' end`;

/** Some of an organization's, the longest due first. Stacks of one branch share the answer of its host. */
export async function makeDue(deps: ScheduleDeps, orgId: string, most: number): Promise<void> {
  const rows = await deps.service.db.execute<Due>(sql`
    select o.schedule_id, o.occurs_at::text, o.stack_key, o.org_id, s.repository_url, s.branch, ${SKIP} as skip
    from schedule_occurrences o join schedules c on c.id = o.schedule_id join stacks s on s.stack_key = o.stack_key
    where o.org_id = ${orgId} and o.due_at <= svc_now() order by o.due_at, o.schedule_id, o.stack_key limit ${most}::int`);
  const heads = new Map<string, Promise<Head>>();
  const headOf = ({ org_id, repository_url: repositoryUrl, branch }: Due): Promise<Head> => {
    const place = `${repositoryUrl} ${branch}`;
    const asked = heads.get(place) ?? deps.headOf({ orgId: org_id, repositoryUrl, branch });
    heads.set(place, asked);
    return asked;
  };
  for (const row of rows) await makeOne(deps, row, headOf);
}

async function makeOne(deps: ScheduleDeps, row: Due, headOf: (row: Due) => Promise<Head>): Promise<void> {
  const { service, keyring, onUnexpected } = deps;
  try {
    // No host is asked about what is left out.
    const head = row.skip === null ? await headOf(row) : null;
    await inNewTrace("make a scheduled deployment", () =>
      unitOfWork(service, (work) => settle(work, keyring, row, head)),
    );
  } catch (error) {
    if (isDatabaseOutage(error)) throw error;
    const failure = failureOf(error);
    if (failure.isUnexpected) onUnexpected?.(error, { orgId: row.org_id, stackKey: row.stack_key });
    await unitOfWork(service, (work) => recordFailure(work, row, failure));
  }
}

type Now = { name: string; mode: ScheduledMode; script: Buffer | null; skip: SkipReason | null };

async function settle(work: Work, keyring: Keyring, row: Due, head: Head | null): Promise<void> {
  const { tx } = work;
  // As every transition of the stack's deployments; what is read after it stays so.
  await tx.execute(sql`select from stacks where stack_key = ${row.stack_key} for no key update`);
  const [now] = await tx.execute<Now>(sql`
    select c.name, c.mode, c.script, ${SKIP} as skip
    from schedule_occurrences o join schedules c on c.id = o.schedule_id join stacks s on s.stack_key = o.stack_key
    where ${ofOccurrence(row)} and o.due_at <= svc_now() for no key update of o`);
  if (now === undefined) return;
  if (now.skip !== null) {
    await tx.execute(sql`
      update schedule_occurrences o set status = 'skipped', reason = ${now.skip}, error = null, due_at = null where ${ofOccurrence(row)}`);
    await tellMissed(work, row, { status: "skipped", reason: now.skip, error: null });
    return;
  }
  // It could not be before, and can now: the next step asks for its commit.
  if (head === null) return;
  const { id } = await createDeployment(work, {
    stackKey: row.stack_key,
    mode: now.mode,
    source: { asked: { repository_url: row.repository_url, branch: row.branch } },
    commitSha: head.sha,
    commitMessage: head.message,
    commitAuthor: head.author,
    originType: "schedule",
    provenance: "branch",
    command: now.script && (await commandOf(keyring, { id: row.schedule_id, script: now.script })),
    why: { schedule: now.name, schedule_id: row.schedule_id, occurs_at: rfc3339(row.occurs_at) },
    actor: null,
  });
  await tx.execute(sql`
    update schedule_occurrences o set status = 'created', deployment_id = ${id}, error = null, due_at = null where ${ofOccurrence(row)}`);
}
