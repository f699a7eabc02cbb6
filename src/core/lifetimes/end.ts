/** Looks at lifetimes that are due: who is reminded, what is destroyed, and which stack is deleted. */
import { sql } from "drizzle-orm";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Actor } from "../../work/domainEvent.ts";
import { QuotaReachedError } from "../../work/quotas.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import { createDeployment } from "../deployments/transitions/create.ts";
import { deleteStackIn, StackBusyError, StateHasResourcesError } from "../stackLife/deleteStack.ts";
import { recordStackEvent } from "../stacks/stackEvent.ts";
import { decideLifetime, type LifetimeStep } from "./decide.ts";
import { isLeftover, readLastWorked, type Worked } from "./leftover.ts";
import type { LifetimePhase, LifetimePutOff } from "./schema.ts";

/** Some of an organization's, the longest due first, each in a transaction of its own. */
export async function endLifetimes(service: Service, orgId: string, most: number): Promise<void> {
  const rows = await service.db.execute<{ stack_key: string }>(sql`
    select stack_key from stack_lifetimes where org_id = ${orgId} and due_at <= svc_now()
    order by due_at, stack_key limit ${most}::int`);
  for (const { stack_key } of rows) await lookAt(service, stack_key);
}

/** What the step could not do is put off, with all it had done undone. */
async function lookAt(service: Service, stackKey: string): Promise<void> {
  try {
    await unitOfWork(service, (work) => step(work, stackKey));
  } catch (error) {
    if (error instanceof StackBusyError) await unitOfWork(service, (work) => putOff(work, stackKey, "busy"));
    else if (error instanceof QuotaReachedError) await unitOfWork(service, (work) => putOff(work, stackKey, "quota"));
    else if (error instanceof StateHasResourcesError)
      await unitOfWork(service, async (work) => {
        const due = await readDue(work, stackKey);
        if (due !== null) await fail(work, due, "The state that the service keeps still holds resources.");
      });
    else throw error;
  }
}

type Due = {
  stackKey: string;
  orgId: string;
  slug: string;
  name: string;
  deleted: boolean;
  held: boolean;
  now: string;
  expires_at: string | null;
  phase: LifetimePhase;
  remind_ms: number;
  reminded_at: string | null;
  reason: string;
  set_by: string;
  set_by_kind: Actor["kind"];
  destroy_id: string | null;
  destroy: { status: string; error: string | null } | null;
};

/** Locks the stack, as every transition of its deployments does, then its lifetime. Null: it is not due any more. */
async function readDue({ tx }: Work, stackKey: string): Promise<Due | null> {
  await tx.execute(sql`select from stacks where stack_key = ${stackKey} for no key update`);
  const [row] = await tx.execute<Due>(sql`
    select s.stack_key as "stackKey", s.org_id as "orgId", s.slug, s.name, s.deleted_at is not null as deleted, s.held_at is not null as held,
      svc_now()::text as now, s.expires_at::text, l.phase, l.remind_ms, l.reminded_at, l.reason, l.set_by, l.set_by_kind, l.destroy_id,
      (select jsonb_build_object('status', d.status, 'error', d.error) from deployments d where d.id = l.destroy_id) as destroy
    from stack_lifetimes l join stacks s on s.stack_key = l.stack_key
    where l.stack_key = ${stackKey} and l.due_at <= svc_now() for no key update of l`);
  return row ?? null;
}

async function step(work: Work, stackKey: string): Promise<void> {
  const due = await readDue(work, stackKey);
  if (due === null) return;
  if (due.deleted || due.expires_at === null) {
    await work.tx.execute(sql`delete from stack_lifetimes where stack_key = ${stackKey}`);
    return;
  }
  const last = await readLastWorked(work, stackKey);
  const next = decideLifetime({
    phase: due.phase,
    now: Date.parse(due.now),
    expiresAt: Date.parse(due.expires_at),
    remindMs: due.remind_ms,
    reminded: due.reminded_at !== null,
    held: due.held,
    leftover: isLeftover(last),
    destroy: due.destroy,
  });
  await carryOut(work, due, next, last);
}

async function carryOut(work: Work, due: Due, next: LifetimeStep, last: Worked | null): Promise<void> {
  switch (next.kind) {
    case "wait":
      return wait(work, due.stackKey, next.until);
    case "remind":
      return remind(work, due);
    case "putOff":
      return putOff(work, due.stackKey, next.why);
    case "fail":
      return fail(work, due, next.error);
    case "destroy":
      return destroy(work, due, last as Worked);
    case "delete":
      return end(work, due);
  }
}

/** Of what was worked with last, not of the branch: what was pushed since is not what is there. */
async function destroy(work: Work, due: Due, last: Worked): Promise<void> {
  const { id } = await createDeployment(work, {
    stackKey: due.stackKey,
    mode: "destroy",
    source: { kept: last },
    provenance: last.provenance,
    commitSha: last.commit_sha,
    commitMessage: last.commit_message,
    commitAuthor: last.commit_author,
    originType: "lifetime",
    why: { expires_at: rfc3339(due.expires_at ?? due.now), reason: due.reason },
    actor: null,
  });
  await work.tx.execute(sql`
    update stack_lifetimes set phase = 'destroying', destroy_id = ${id}, error = null, put_off = null, put_off_times = 0, due_at = null
    where stack_key = ${due.stackKey}`);
}

/** In the name of whoever said last when the stack ends. @throws StackBusyError, StateHasResourcesError */
async function end(work: Work, due: Due): Promise<void> {
  const actor = { id: due.set_by, kind: due.set_by_kind };
  await work.tx.execute(sql`delete from stack_lifetimes where stack_key = ${due.stackKey}`);
  await deleteStackIn(work, actor, due.stackKey, false, {
    why: "lifetime",
    expires_at: rfc3339(due.expires_at),
    reason: due.reason,
    destroy_deployment_id: due.destroy_id,
  });
}

async function remind(work: Work, due: Due): Promise<void> {
  await work.tx.execute(sql`
    update stack_lifetimes set reminded_at = svc_now(), due_at = ${due.expires_at}::timestamptz where stack_key = ${due.stackKey}`);
  const data = { expires_at: rfc3339(due.expires_at), reason: due.reason };
  await recordStackEvent(work, due, "stack_expiring", null, data);
}

async function fail(work: Work, due: Due, error: string): Promise<void> {
  await work.tx.execute(sql`
    update stack_lifetimes set phase = 'failed', error = ${error}, put_off = null, put_off_times = 0, due_at = null
    where stack_key = ${due.stackKey}`);
  const data = { expires_at: rfc3339(due.expires_at), error, destroy_deployment_id: due.destroy_id };
  await recordStackEvent(work, due, "stack_expiry_failed", null, data);
}

async function wait({ tx }: Work, stackKey: string, until: number | null): Promise<void> {
  const at = until === null ? null : new Date(until).toISOString();
  await tx.execute(sql`
    update stack_lifetimes set due_at = ${at}::timestamptz, put_off = null, put_off_times = 0 where stack_key = ${stackKey}`);
}

/** After a minute, then after two, and so on up to an hour. */
async function putOff({ tx }: Work, stackKey: string, why: LifetimePutOff): Promise<void> {
  await tx.execute(sql`
    update stack_lifetimes set put_off = ${why}, put_off_times = put_off_times + 1,
      due_at = svc_now() + least(interval '1 minute' * 2 ^ least(put_off_times, 10), interval '1 hour')
    where stack_key = ${stackKey} and due_at is not null`);
}
