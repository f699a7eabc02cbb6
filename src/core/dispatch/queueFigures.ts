/**
 * What an operator wants to know of the queues, in one statement that reads a bounded number of index entries, whatever
 * the backlog: each count stops at 100,000, and the oldest runs are the heads of at most 1,000 selectors. Asked on
 * scrape, at most once in five seconds.
 *
 * `runs_claimable` is (selector, background, prioritized_at, first_pending_at) over pending runs, so the recursive part
 * walks from selector to selector, one index entry each, and the oldest run of a selector that somebody waits for is
 * the first entry without a priority or one of its first prioritized ones, which are claimed before all others anyway.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { BeforeScrape } from "../../platform/telemetry/scrape.ts";
import { RUN_STATUSES } from "../runs/lifecycle.ts";
import { isInFlight } from "./inFlight.ts";

const MOST = 100_000;
const SELECTORS = 1_000;
/** Messages of an urgent class, or organizations of a patient one, among which the oldest is looked for. */
const HEADS = 1_000;
const KEEP_MS = 5_000;
/** A scraper gives up after ten seconds and then has nothing at all. */
const GIVE_UP_MS = 3_000;

type Figures = {
  runs: Record<string, number>;
  oldest_pending_s: number;
  oldest_dispatchable_s: number;
  outbox_classes: Record<string, number>;
  oldest_of_classes_s: Record<string, number>;
  asleep: number;
  oldest_message_s: number;
  deliveries_pending: number;
  deliveries_dead: number;
};

export type QueueMetrics = Pick<
  Metrics,
  | "runs"
  | "oldestPendingAge"
  | "oldestDispatchableAge"
  | "outboxMessages"
  | "outboxWaiting"
  | "outboxOldestOfClass"
  | "workflowsAsleep"
  | "oldestOutboxAge"
  | "notificationDeliveries"
  | "collectionFailures"
>;

/** Sets the gauges before a scrape. Never rejects: a database that is away leaves them unset and is counted. */
export function queueFigures(db: Queryable, metrics: QueueMetrics): BeforeScrape {
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const refresh = async () => {
    try {
      show(metrics, await inTime(readFigures(db)));
    } catch {
      hide(metrics);
      metrics.collectionFailures.inc();
    }
    readAt = performance.now();
    reading = undefined;
  };
  return async () => {
    if (performance.now() - readAt >= KEEP_MS) {
      reading ??= refresh();
      await reading;
    }
    return "";
  };
}

/** The outbox by class: an index of each, whatever the others hold. */
function ofClasses(): SQL {
  const counts = [0, 1, 2, 3].map(
    (urgency) =>
      sql`${String(urgency)}::text, (select count(*) from (select from outbox where class = ${sql.raw(String(urgency))} limit ${MOST}::int) o)`,
  );
  return sql`jsonb_build_object(${sql.join(counts, sql`, `)})`;
}

/**
 * How long the oldest of each class has waited: among the first by due time of an urgent class, so that one in back-off
 * still shows, and among the first of each organization in a patient one.
 */
function oldestOfClasses(): SQL {
  const heads = (urgency: SQL) => sql`select created_at from outbox where class = ${urgency}`;
  const urgent = (urgency: SQL) => sql`${heads(urgency)} order by due_at limit ${HEADS}::int`;
  const patient = (urgency: SQL) => sql`
    with recursive orgs (org_id, seen) as (
      (select org_id, 1 from outbox where class = ${urgency} order by org_id limit 1)
      union all
      select (select o.org_id from outbox o where o.class = ${urgency} and o.org_id > orgs.org_id order by o.org_id limit 1),
        seen + 1
      from orgs where orgs.org_id is not null and seen < ${HEADS}::int
    )
    select h.created_at from orgs cross join lateral (
      ${heads(urgency)} and org_id = orgs.org_id order by due_at limit 1) h`;
  const ages = [urgent, urgent, patient, patient].map((of, urgency) => {
    const oldest = sql`select min(created_at) from (${of(sql.raw(String(urgency)))}) o`;
    return sql`${String(urgency)}::text, coalesce(extract(epoch from svc_now() - (${oldest})), 0)::float8`;
  });
  return sql`jsonb_build_object(${sql.join(ages, sql`, `)})`;
}

/** @internal Exported for the test that looks at its plan. */
export const FIGURES = sql`
  with recursive selectors as (
    (select r.selector_id from runs r where r.status = 'pending' order by r.selector_id limit 1)
    union all
    select (select r.selector_id from runs r where r.status = 'pending' and r.selector_id > s.selector_id
      order by r.selector_id limit 1)
    from selectors s where s.selector_id is not null
  ),
  heads as (
    select h.first_pending_at,
      exists (select from group_selectors g where g.selector_id = s.selector_id) and not exists (
        select from runner_selectors k join dispatch_orgs o on o.org_id = k.org_id
        where k.id = s.selector_id and o.throttled_until > svc_now()) as dispatchable
    from (select selector_id from selectors where selector_id is not null limit ${SELECTORS}::int) s
    cross join lateral (
      (select r.first_pending_at from runs r
        where r.status = 'pending' and r.selector_id = s.selector_id and not r.background and r.prioritized_at is null
        order by r.first_pending_at limit 1)
      union all
      (select r.first_pending_at from runs r
        where r.status = 'pending' and r.selector_id = s.selector_id and not r.background and r.prioritized_at is not null
        order by r.prioritized_at limit 10)
    ) h
  ),
  counted as (
    select 'queued' as status, count(*) from (select from deployments where status = 'queued' limit ${MOST}::int) q
    union all
    select 'pending', count(*) from (select from runs where status = 'pending' limit ${MOST}::int) p
    union all
    select status, count(*) from (
      select status from runs where ${isInFlight(sql`status`)}
      limit ${MOST}::int) f
    group by status
  )
  select (select jsonb_object_agg(status, count) from counted) as runs,
    coalesce(extract(epoch from svc_now() - (select min(first_pending_at) from heads)), 0)::float8 as oldest_pending_s,
    coalesce(extract(epoch from svc_now() - (select min(first_pending_at) from heads where dispatchable)), 0)::float8
      as oldest_dispatchable_s,
    ${ofClasses()} as outbox_classes,
    ${oldestOfClasses()} as oldest_of_classes_s,
    (select count(*) from (select from deployments where woken_at is null
      and status not in ('finished', 'failed', 'cancelled', 'skipped') limit ${MOST}::int) a)::int as asleep,
    coalesce(extract(epoch from svc_now() - (select created_at from outbox order by id limit 1)), 0)::float8
      as oldest_message_s,
    (select count(*) from (select from notification_deliveries where status = 'pending' limit ${MOST}::int) p)::int
      as deliveries_pending,
    (select count(*) from (select from notification_deliveries where status = 'dead' limit ${MOST}::int) d)::int
      as deliveries_dead`;

async function readFigures(db: Queryable): Promise<Figures> {
  const [row] = await db.execute<Figures>(FIGURES);
  if (row === undefined) throw new Error("the figures have no row");
  return row;
}

const LIVE = RUN_STATUSES.filter((status) =>
  ["queued", "pending", "assigned", "running", "requested_cancellation", "cancelling"].includes(status),
);

function show(metrics: QueueMetrics, figures: Figures): void {
  for (const status of LIVE) metrics.runs.set({ status }, figures.runs[status] ?? 0);
  metrics.oldestPendingAge.set(figures.oldest_pending_s);
  metrics.oldestDispatchableAge.set(figures.oldest_dispatchable_s);
  metrics.outboxMessages.set(
    Math.min(
      Object.values(figures.outbox_classes).reduce((a, b) => a + b, 0),
      MOST,
    ),
  );
  for (const [urgency, count] of Object.entries(figures.outbox_classes))
    metrics.outboxWaiting.set({ class: urgency }, count);
  for (const [urgency, age] of Object.entries(figures.oldest_of_classes_s))
    metrics.outboxOldestOfClass.set({ class: urgency }, age);
  metrics.workflowsAsleep.set(figures.asleep);
  metrics.oldestOutboxAge.set(figures.oldest_message_s);
  metrics.notificationDeliveries.set({ status: "pending" }, figures.deliveries_pending);
  metrics.notificationDeliveries.set({ status: "dead" }, figures.deliveries_dead);
}

/** A figure of an hour ago must not look like one of now. */
function hide(metrics: QueueMetrics): void {
  metrics.runs.reset();
  metrics.outboxWaiting.reset();
  metrics.outboxOldestOfClass.reset();
  metrics.notificationDeliveries.reset();
  for (const gauge of [
    metrics.oldestPendingAge,
    metrics.oldestDispatchableAge,
    metrics.outboxMessages,
    metrics.workflowsAsleep,
    metrics.oldestOutboxAge,
  ]) {
    gauge.set(Number.NaN);
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the figures took too long")), GIVE_UP_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
