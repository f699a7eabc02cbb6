/**
 * Notifications on the whole product. First 10,000 to one target that fails three requests in ten, on a short schedule:
 * each must be taken or be listed as dead, none twice. Then one event after the other to 50 targets: what 49 of them
 * wait for theirs while one never answers, against what they wait when all answer; rounds of both take turns.
 *
 *     BENCH_NOTIFY_SHARE=0.1 npm run bench -- notify     a tenth of it
 *     BENCH_FAULT=lose ...                               a notification vanishes: the bench must fail
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { atMost, type Bench, type BenchContext, type BenchResult, exactly, rounded } from "./harness/bench.ts";
import { faultOf } from "./harness/fault.ts";
import { type Product, startProduct } from "./harness/product.ts";
import { interleave, ratio, typical } from "./harness/rounds.ts";
import { seeded } from "./harness/seeded.ts";
import { shareOf } from "./harness/sizes.ts";
import { type Answer, startTargets, type Targets } from "./harness/targets.ts";
import { until } from "./harness/until.ts";

const part = shareOf("BENCH_NOTIFY_SHARE");
const NOTIFICATIONS = part(10_000);
const FAILS = 0.3;
const FAILURES: readonly Answer[] = [500, 503, 429, "cut"];
const TARGETS = 50;
const STALLS = "t0";
const ROUNDS = Math.max(part(5), 2);
const EVENTS = 5;
/** What 50 notifications take here, and some rest: waiting behind others is not what is measured. */
const EVENT_EVERY_MS = 5_000;

export const bench: Bench = {
  what: `${NOTIFICATIONS} notifications to a target that fails ${FAILS * 100} %, and one silent target of ${TARGETS}`,
  limitSeconds: 3_000,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const chance = seeded(context.say);
  const product = await startProduct(context, {
    env: {
      SVC_EGRESS_ALLOW: "127.0.0.1",
      // Production's is hours long. A request fails with 0.3, all five of a delivery with 0.0024.
      SVC_NOTIFICATION_RETRY_SCHEDULE: "PT1S,PT2S,PT3S,PT4S",
    },
  });
  let stalled = false;
  const targets = await startTargets(context, (target) => {
    if (target === STALLS && stalled) return "hang";
    return target !== "failing" || chance.next() >= FAILS ? 204 : chance.pick(FAILURES);
  });
  const failing = await failingTarget(context, product, targets);
  await Promise.all(
    Array.from({ length: TARGETS }, (_, i) => integrate(product, `t${i}`, targets.url(`t${i}`), "stack_created")),
  );
  const round = async (withStall: boolean) => {
    stalled = withStall;
    const waited = await spread(product, targets);
    // What the silent target was sent is not for the next round.
    await product.sql`delete from notification_deliveries`;
    return waited;
  };
  const taken = await interleave({ stalled: () => round(true), all: () => round(false) }, { rounds: ROUNDS });
  const p99 = { one_silent: typical(taken.stalled, 0.99), all_answer: typical(taken.all, 0.99) };
  context.say(`p99 of the ${TARGETS - 1}: ${p99.one_silent} ms with one silent, ${p99.all_answer} ms without`);
  return {
    figures: {
      failing: failing.figures,
      isolation: {
        p99_ms: { one_silent: rounded(p99.one_silent), all_answer: rounded(p99.all_answer) },
        p50_ratio: rounded(ratio(taken.stalled, taken.all, 0.5)),
        silent_requests: targets.arrivals.filter(({ answer }) => answer === "hang").length,
      },
    },
    bars: { ...failing.bars, one_silent_p99_ratio: atMost(ratio(taken.stalled, taken.all, 0.99), 1.2) },
  };
}

async function integrate(
  { person }: Product,
  name: string,
  url: string,
  event: string,
): Promise<{ id: string; path: string }> {
  const body = { name, provider_type: "webhook", events: [event], provider_config: {}, auth_config: { url } };
  const { status, body: answer } = await person.call("POST", "notification-integrations", body);
  if (status !== 201) throw new Error(`an integration was answered ${status}`);
  const { id } = answer as { id: string };
  return { id, path: `notification-integrations/${id}` };
}

/** The events and their messages are stored as their writers store them, all at once. */
async function failingTarget(
  { say }: BenchContext,
  product: Product,
  { url, arrivals }: Targets,
): Promise<Pick<BenchResult, "figures" | "bars">> {
  const { sql, org } = product;
  const { path } = await integrate(product, "failing", url("failing"), "scm_sync_failed");
  const began = performance.now();
  await sql`
    with event as (
      insert into domain_events (org_id, name, data)
      select ${org.orgId}, 'scm_sync_failed', jsonb_build_object('attempt_count', n) from generate_series(1, ${NOTIFICATIONS}::int) n
      returning id, org_id, name
    )
    insert into outbox (message, due_at)
    select jsonb_build_object('kind', 'fanOut', 'orgId', org_id, 'event', name, 'domainEventId', id), svc_now() from event`;
  const open = async () => {
    const [row] = await sql`
      select (select count(*)::int from domain_events where fanned_out_at is null) as untold,
        (select count(*)::int from notification_deliveries where status = 'pending') as pending`;
    return (row?.untold ?? 0) + (row?.pending ?? 0);
  };
  const telling = setInterval(() => void open().then((left) => say(`${left} notifications are in flight`)), 60_000);
  const losing = faultOf(["lose"]) === "lose" ? setInterval(() => void loseOne(sql), 1_000) : undefined;
  await until("every notification to be taken or dead", 2_400_000, async () => (await open()) === 0, 1_000);
  clearInterval(telling);
  clearInterval(losing);
  const seconds = (performance.now() - began) / 1_000;
  const dead = await listed(product);
  const byDelivery = [...Map.groupBy(arrivals, ({ deliveryId }) => deliveryId)];
  const taken = byDelivery.filter(([, tries]) => tries.some(({ answer }) => answer === 204));
  const twice = taken.filter(([, tries]) => tries.filter(({ answer }) => answer === 204).length > 1);
  const altered = byDelivery.filter(([, tries]) => new Set(tries.map(({ body }) => body)).size > 1);
  const events = new Set(taken.map(([, tries]) => tries[0]?.body));
  const lost = NOTIFICATIONS - events.size - dead.size;
  const deadAndTaken = taken.filter(([id]) => dead.has(id));
  await product.person.call("DELETE", path);
  say(`${taken.length} taken, ${dead.size} listed as dead, ${arrivals.length} requests in ${Math.round(seconds)} s`);
  return {
    figures: {
      notifications: NOTIFICATIONS,
      taken: taken.length,
      dead: dead.size,
      requests: arrivals.length,
      failed_share: rounded(arrivals.filter(({ answer }) => answer !== 204).length / arrivals.length),
      seconds: Math.round(seconds),
      per_second: rounded(NOTIFICATIONS / seconds),
    },
    bars: {
      neither_taken_nor_dead: exactly(lost, 0),
      taken_twice: exactly(twice.length, 0),
      taken_and_dead: exactly(deadAndTaken.length, 0),
      other_bytes_on_a_later_attempt: exactly(altered.length, 0),
    },
  };
}

/** On purpose: the row of one that waits for its next attempt is gone. */
async function loseOne(sql: Product["sql"]): Promise<void> {
  await sql`
    delete from notification_deliveries where id in (
      select id from notification_deliveries where status = 'pending' and attempts > 0 limit 1)`;
}

/** The ids that the list of dead deliveries shows, read page by page. */
async function listed({ person }: Product): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let cursor = ""; ; ) {
    const { body } = await person.call("GET", `notification-deliveries?status=dead&limit=200${cursor}`);
    const { items, next_cursor } = body as { items: { id: string }[]; next_cursor: string | null };
    for (const { id } of items) ids.add(id);
    if (next_cursor === null) return ids;
    cursor = `&cursor=${next_cursor}`;
  }
}

/** Stacks made one after the other; how long each target but the first waited for its notification, in milliseconds. */
async function spread({ person }: Product, { arrivals }: Targets): Promise<number[]> {
  const waited: number[] = [];
  for (let i = 0; i < EVENTS; i++) {
    const name = randomUUID();
    const settings = { name, repository_url: "https://git.example.test/r.git", branch: "main" };
    const from = arrivals.length;
    const began = performance.now();
    const { status } = await person.call("POST", "stacks", settings);
    if (status !== 201) throw new Error(`a stack was answered ${status}`);
    const those = () => arrivals.slice(from).filter(({ target, body }) => target !== STALLS && body.includes(name));
    await until("every other target to be told", 60_000, () => those().length >= TARGETS - 1);
    waited.push(...those().map(({ at }) => at - began));
    await sleep(Math.max(EVENT_EVERY_MS - (performance.now() - began), 500));
  }
  return waited;
}
