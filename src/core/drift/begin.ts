/**
 * Begins checks that are due: beside the lane, and only where nobody is about to use what they would take. What cannot
 * begin is put off with its reason (docs/drift.md#what-a-check-never-does).
 */
import { sql } from "drizzle-orm";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import { takesLane } from "../deployments/laneModes.ts";
import { createDeployment } from "../deployments/transitions/create.ts";
import { isInFlight } from "../dispatch/inFlight.ts";
import { again, readBase } from "./base.ts";
import { putOffFor } from "./pace.ts";
import type { PutOff } from "./schema.ts";

export type DriftDeps = {
  service: Service;
  /** Of an organization. */
  checksPerHour: number;
};

/** At most `most` of an organization's: those that somebody asked for, then the longest due. */
export async function beginChecks(deps: DriftDeps, orgId: string, most: number): Promise<void> {
  if (most <= 0) return;
  const rows = await deps.service.db.execute<{ stack_key: string }>(sql`
    select stack_key from stack_drift
    where org_id = ${orgId} and due_at <= svc_now() and check_id is null and not stale
    order by not asked, due_at, stack_key limit ${most}::int`);
  for (const { stack_key } of rows)
    await unitOfWork(deps.service, (work) => beginCheck(work, orgId, stack_key, deps.checksPerHour));
}

async function beginCheck(work: Work, orgId: string, stackKey: string, checksPerHour: number): Promise<void> {
  const { tx } = work;
  // As every transition of the stack's deployments; what is read after it stays so.
  await tx.execute(sql`select from stacks where stack_key = ${stackKey} for no key update`);
  const facts = await readFacts(work, stackKey);
  if (facts === null) return;
  const base = await readBase(work, stackKey);
  const why = base === null ? "never_applied" : obstacle(facts);
  if (base === null || why !== null || !(await takeToken(work, orgId, checksPerHour))) {
    await putOff(work, stackKey, why ?? "budget", facts.put_off_times);
    return;
  }
  const { id } = await createDeployment(work, {
    stackKey,
    mode: "drift",
    source: { kept: base },
    provenance: base.provenance,
    ...again(base),
  });
  await tx.execute(sql`
    update stack_drift set check_id = ${id}, check_phase = 'running', due_at = null, asked = false where stack_key = ${stackKey}`);
}

type Facts = {
  put_off_times: number;
  held: boolean;
  busy: boolean;
  groups: number;
  /** Checks that the stack's groups may have at once, and those that wait for them or are there. */
  room: number;
  taken: number;
};

/** Null: it is not due any more. */
async function readFacts({ tx }: Work, stackKey: string): Promise<Facts | null> {
  const [row] = await tx.execute<Facts>(sql`
    with due as materialized (
      select d.put_off_times, s.org_id, s.held_at is not null as held,
        ensure_selector(s.org_id, runner_selector_of(s.labels)) as selector_id
      from stack_drift d join stacks s on s.stack_key = d.stack_key
      where d.stack_key = ${stackKey} and s.deleted_at is null and d.due_at <= svc_now() and d.check_id is null
      for no key update of d
    )
    select due.put_off_times, due.held,
      exists (select from deployments h where h.stack_key = ${stackKey} and ${takesLane("h")}
        and h.status in ('pending', 'planning', 'applying', 'waiting', 'requested_cancellation', 'cancelling'))
      or exists (select from deployments q where q.stack_key = ${stackKey} and q.status = 'queued') as busy,
      g.groups, g.room,
      (select count(*) from runs r where r.selector_id = due.selector_id and r.background and r.status = 'pending')::int
      + (select count(*) from runs r where r.org_id = due.org_id and r.selector_id = due.selector_id and r.background
          and ${isInFlight(sql`r.status`)})::int as taken
    from due cross join lateral (
      select count(*)::int as groups, coalesce(sum(g.max_drift_runs), 0)::int as room
      from group_selectors k join runner_groups g on g.id = k.group_id where k.selector_id = due.selector_id
    ) g`);
  return row ?? null;
}

function obstacle({ held, busy, groups, room, taken }: Facts): PutOff | null {
  if (held) return "held";
  if (busy) return "lane_busy";
  if (groups === 0) return "no_runner_group";
  return taken >= room ? "group_full" : null;
}

/** Whether the organization's budget of checks has one more; it is not that of its runs. */
async function takeToken({ tx }: Work, orgId: string, perHour: number): Promise<boolean> {
  const rows = await tx.execute(sql`
    insert into drift_budgets as b (org_id, tokens, refilled_at) values (${orgId}, ${perHour}::int * 24 - 1, svc_now())
    on conflict (org_id) do update set tokens = tokens_at(b.tokens, b.refilled_at, ${perHour}::int, svc_now()) - 1, refilled_at = svc_now()
    where tokens_at(b.tokens, b.refilled_at, ${perHour}::int, svc_now()) >= 1 returning 1`);
  return rows.length > 0;
}

async function putOff({ tx }: Work, stackKey: string, why: PutOff, times: number): Promise<void> {
  await tx.execute(sql`
    update stack_drift set put_off = ${why}, put_off_times = put_off_times + 1,
      due_at = svc_now() + ${putOffFor(times)}::float8 * interval '1 millisecond'
    where stack_key = ${stackKey}`);
}
