/** The rows of the inbox as work: what is open of a branch, how a try ended, giving up, and trying again by hand. */

import { type SQL, sql } from "drizzle-orm";
import type { BranchView } from "../../../workflows/views.ts";
import { recordAudit } from "../../people/audit/record.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { pauseMs, type RetryPolicy } from "../../platform/time/pause.ts";
import type { Actor } from "../../work/domainEvent.ts";
import { publish } from "../../work/publish.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import { arrivedMessage } from "./inbox.ts";
import type { scmEvents } from "./schema.ts";

export type OpenEvent = SqlRow<
  typeof scmEvents,
  "id" | "org_id" | "repository_key" | "branch" | "kind" | "pr_number" | "before_sha" | "after_sha" | "attempts"
> & {
  due: boolean;
};

/** So many are worked on together; one question to the host answers them all. */
const TOGETHER = 500;

const OPEN = sql`e.status in ('pending', 'failed')`;

/** Open events of the branch, oldest first. */
export async function openEvents(db: Queryable, key: string): Promise<OpenEvent[]> {
  return await db.execute<OpenEvent>(sql`
    select e.id, e.org_id, e.repository_key, e.branch, e.kind, e.pr_number, e.before_sha, e.after_sha, e.attempts,
      e.due_at <= t.now as due
    from scm_events e cross join (select svc_now() as now) t
    where ${OPEN} and e.branch_key = ${key} order by e.id limit ${TOGETHER}`);
}

export async function branchView(db: Queryable, key: string): Promise<BranchView> {
  const [row] = (await db.execute(sql`
    select count(*)::int as open, case when count(*) > 0 then
      greatest(ceil(extract(epoch from min(e.due_at) - svc_now()) * 1000), 0)::float8 end as next
    from scm_events e where ${OPEN} and e.branch_key = ${key}`)) as unknown as [{ open: number; next: number | null }];
  return { open: row.open, nextMs: row.next };
}

export async function markProcessed(db: Queryable, events: readonly OpenEvent[]): Promise<void> {
  await db.execute(sql`
    update scm_events e set status = 'processed', processed_at = svc_now(), last_error = null
    where e.id = any(${idsOf(events)}) and ${OPEN}`);
}

export async function removeEvents(db: Queryable, events: readonly OpenEvent[]): Promise<void> {
  await db.execute(sql`delete from scm_events where id = any(${idsOf(events)})`);
}

export type SyncFailure = {
  text: string;
  retryAfterMs: number | null;
  /**
   * Whether only a later look was asked for: events that waited together with the one that did so lose no try by it.
   */
  onlyLater: boolean;
};

/** Put off what was due, and give up what was tried often enough, each with one `scm_sync_failed`. */
export async function markFailed(
  service: Service,
  policy: RetryPolicy,
  events: readonly OpenEvent[],
  failure: SyncFailure,
): Promise<void> {
  const due = events.filter((event) => event.due);
  if (due.length === 0) return;
  const outcomes = due.map(({ id, attempts: before }) => {
    const attempts = failure.onlyLater ? Math.max(before, 1) : before + 1;
    const dead = !failure.onlyLater && attempts >= policy.maxAttempts;
    return { id, before, attempts, dead, pause: pauseMs(policy, attempts, failure.retryAfterMs, Math.random()) };
  });
  await unitOfWork(service, async (work) => {
    const dead = await work.tx.execute<Ended>(sql`
      update scm_events e set attempts = o.attempts, last_error = ${failure.text},
        status = case when o.dead then 'dead' else 'failed' end,
        processed_at = case when o.dead then svc_now() end,
        due_at = svc_now() + o.pause * interval '1 millisecond'
      from jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb) as o (id uuid, before integer, attempts integer, dead boolean,
        pause float8)
      where e.id = o.id and ${OPEN} and e.attempts = o.before
      returning e.id, e.org_id, e.integration_id, e.repository_key, e.kind, e.branch, e.pr_number, e.attempts, o.dead`);
    for (const event of dead.filter((row) => row.dead)) await recordFailure(work, event, failure.text);
  });
}

type Ended = SqlRow<
  typeof scmEvents,
  "id" | "org_id" | "integration_id" | "repository_key" | "kind" | "branch" | "pr_number" | "attempts"
> & { dead: boolean };

async function recordFailure(work: Work, row: Ended, lastError: string): Promise<void> {
  await publish(work, {
    orgId: row.org_id,
    name: "scm_sync_failed",
    data: {
      scm_event_id: row.id,
      scm_integration_id: row.integration_id,
      repository_url: `https://${row.repository_key}`,
      inbox_event_type: row.kind,
      base_branch: row.branch,
      pr_number: row.pr_number,
      last_error: lastError,
      attempt_count: row.attempts,
    },
  });
}

/** Begin anew with an event that is dead, or waits to be tried again. False when it is neither. */
export async function retryEvent(service: Service, actor: Pick<Actor, "id" | "kind">, id: string): Promise<boolean> {
  return unitOfWork(service, async (work) => {
    const [row] = await work.tx.execute<Parameters<typeof arrivedMessage>[0]>(sql`
      update scm_events set status = 'pending', attempts = 0, processed_at = null, due_at = svc_now()
      where id = ${id} and status in ('dead', 'failed')
      returning org_id as "orgId", integration_id as "integrationId", repository_key as "repositoryKey", branch`);
    if (row === undefined) return false;
    await recordAudit(work.tx, {
      orgId: row.orgId,
      actor,
      action: "scm_event.retry",
      resourceId: id,
      details: { integration_id: row.integrationId, repository: row.repositoryKey, branch: row.branch },
    });
    work.messages.push(arrivedMessage(row));
    return true;
  });
}

function idsOf(events: readonly { id: string }[]): SQL {
  return sql`${`{${events.map(({ id }) => id).join(",")}}`}::uuid[]`;
}
