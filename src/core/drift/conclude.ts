/** Reads the checks that have ended: what they say of their stacks, who is told, and when each is due again. */
import { sql } from "drizzle-orm";
import { publish } from "../../work/publish.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import type { RunStatus } from "../runs/lifecycle.ts";
import type { DriftReport, PlanSummary } from "../runs/protocol.ts";
import { type CheckEnd, type Finding, findingOf, type Known, reportOf } from "./finding.ts";
import { putOffFor } from "./pace.ts";
import type { DriftPolicy } from "./policy.ts";
import { nextCheck } from "./schedule.ts";
import type { DriftedResource } from "./schema.ts";

type Ended = Known & {
  stack_key: string;
  org_id: string;
  slug: string;
  deleted: boolean;
  name: string;
  now: string;
  check_id: string;
  effective: DriftPolicy | null;
  resources: DriftedResource[];
  put_off_times: number;
  run_status: RunStatus;
  error: string | null;
  drift: DriftReport | null;
  plan_summary: PlanSummary | null;
  started: boolean;
  duration_ms: number | null;
  /** Somebody cancelled it. */
  by_person: boolean;
  /** Something was applied on the stack while it looked. */
  applied: boolean;
};

/** Some of an organization's, each in a transaction of its own. @returns how many were read */
export async function concludeChecks(service: Service, orgId: string, most: number): Promise<number> {
  const rows = await service.db.execute<{ stack_key: string }>(sql`
    select stack_key from stack_drift where org_id = ${orgId} and check_phase = 'ended' order by stack_key limit ${most}::int`);
  for (const { stack_key } of rows) await unitOfWork(service, (work) => conclude(work, stack_key));
  return rows.length;
}

async function conclude(work: Work, stackKey: string): Promise<void> {
  const ended = await readEnded(work, stackKey);
  if (ended === null) return;
  if (ended.deleted) {
    await work.tx.execute(sql`
      update stack_drift set check_id = null, check_phase = null, due_at = null where stack_key = ${stackKey}`);
    return;
  }
  const end = endOf(ended);
  const after = new Date(ended.now);
  const regular = ended.effective && nextCheck(ended.effective, stackKey, after);
  if (end.kind === "nothing") {
    const again = new Date(after.getTime() + putOffFor(ended.put_off_times));
    // Who cancels a check does not want it back in a minute.
    const isSoon = end.why !== "cancelled" && (regular === null || again < regular.dueAt);
    await work.tx.execute(sql`
      update stack_drift set check_id = null, check_phase = null, put_off = ${end.why}, put_off_times = put_off_times + 1,
        due_at = ${(isSoon ? again : regular?.dueAt)?.toISOString() ?? null}::timestamptz
      where stack_key = ${stackKey}`);
    return;
  }
  const finding = findingOf(ended, end, ended.effective?.ignore ?? []);
  await store(work, ended, finding, regular?.dueAt ?? null);
  if (finding.news !== null) await tell(work, ended, finding, finding.news);
}

/** What the run says, unless something was applied meanwhile: then it may have seen half of it. */
function endOf({ run_status, error, drift, plan_summary, started, by_person, applied }: Ended): CheckEnd {
  if (run_status === "cancelled" || run_status === "discarded")
    return { kind: "nothing", why: by_person ? "cancelled" : started ? "gave_way" : "no_runner" };
  if (run_status === "startup_timeout") return { kind: "nothing", why: "no_runner" };
  if (applied) return { kind: "nothing", why: "applied_meanwhile" };
  if (run_status !== "success") return { kind: "failed", error: error ?? "The check failed." };
  const report = reportOf(drift, plan_summary);
  if (report === null) return { kind: "failed", error: "What has changed could not be read from the engine's plan." };
  return { kind: "looked", report };
}

async function readEnded({ tx }: Work, stackKey: string): Promise<Ended | null> {
  const [row] = await tx.execute<Ended>(sql`
    with known as materialized (
      select * from stack_drift where stack_key = ${stackKey} and check_phase = 'ended' for no key update
    )
    select k.stack_key, k.org_id, s.slug, s.name, s.deleted_at is not null as deleted, svc_now()::text as now, k.check_id, k.effective, k.status, k.told, k.reconciled,
      k.resources, k.put_off_times, r.status as run_status, coalesce(r.error, d.error) as error, r.drift, r.plan_summary,
      r.started_at is not null as started,
      extract(epoch from r.completed_at - r.started_at)::float8 * 1000 as duration_ms,
      exists (select from deployment_events e where e.deployment_id = d.id and e.kind = 'cancellation_requested') as by_person,
      exists (
        select from (select id, completed_at from deployments where stack_key = k.stack_key order by created_at desc, id desc limit 50) o
        join runs x on x.deployment_id = o.id
        where x.kind in ('apply_run', 'raw_run') and x.started_at is not null and coalesce(x.completed_at > d.created_at, true)
      ) as applied
    from known k join stacks s on s.stack_key = k.stack_key
    join deployments d on d.id = k.check_id
    cross join lateral (select * from runs where deployment_id = d.id order by id desc limit 1) r`);
  return row ?? null;
}

async function store({ tx }: Work, ended: Ended, finding: Finding, dueAt: Date | null): Promise<void> {
  const { stack_key, check_id, effective, duration_ms, now } = ended;
  const { status, error, found, told, toReconcile } = finding;
  const mend = toReconcile !== null && effective !== null && effective.reconcile !== "off";
  await tx.execute(sql`
    update stack_drift set check_id = null, check_phase = null, put_off = null, put_off_times = 0,
      since = case when status = ${status} then since else ${now}::timestamptz end,
      status = ${status}, error = ${error}::text, checked_at = ${now}::timestamptz, checked_id = ${check_id},
      resources = coalesce(${found ? JSON.stringify(found.resources) : null}::jsonb, resources),
      total = coalesce(${found?.total ?? null}::int, total), ignored = coalesce(${found?.ignored ?? null}::int, ignored),
      told = ${told}::text, reconciled = ${mend ? toReconcile : finding.reconciled}::text,
      reconcile_due = ${mend} or (reconcile_due and ${status !== "none"}),
      duration_ms = coalesce(${duration_ms}::float8, duration_ms), due_at = ${dueAt?.toISOString() ?? null}::timestamptz
    where stack_key = ${stack_key}`);
}

/** So many addresses are in a notification. */
const NAMED = 20;

/** That it is over concerns no check: whoever asks for plans with changes only is to hear of it too. */
async function tell(work: Work, ended: Ended, { found }: Finding, name: NonNullable<Finding["news"]>): Promise<void> {
  const data = {
    stack_id: ended.slug,
    stack_name: ended.name,
    ...(name === "drift_detected" && {
      drifted: found?.total ?? 0,
      addresses: (found?.resources ?? []).slice(0, NAMED).map(({ address }) => address),
    }),
  };
  const deploymentId = name === "drift_resolved" ? null : ended.check_id;
  await publish(work, { orgId: ended.org_id, name, stackKey: ended.stack_key, deploymentId, data });
}
