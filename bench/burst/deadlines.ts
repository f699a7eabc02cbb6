/**
 * Leases and queue deadlines of an organization, and how long after their time they acted; both by the database's
 * clock.
 */
import { openLane } from "../harness/lane.ts";
import { COMMIT, type StackRow } from "../harness/rows.ts";
import { CHANGES, claimNext, execute } from "../harness/runner.ts";
import { until } from "../harness/until.ts";
import { LEASE_MS, QUEUED_MS } from "./sizes.ts";
import type { World } from "./world.ts";

/** Milliseconds late, of each. */
export type Late = { lease: number[]; queued: number[] };

export type Deadlines = {
  /** Make a deployment whose run is claimed and never accepted. */
  lease(): Promise<void>;
  /** Make so many first, then claim all in the same instant. */
  leasesAtOnce(count: number): Promise<void>;
  /** Make a deployment that stands in a queue that does not move. */
  queued(): Promise<void>;
  /** Wait until all that were made since have passed. */
  late(): Promise<Late>;
};

/** What is later than this counts as never. */
const PATIENCE_MS = 300_000;

/** @param most leases that are made in all: each has a stack of its own, since a late one keeps its lane */
export async function openDeadlines(world: World, most: number): Promise<Deadlines> {
  const { context, product } = world;
  const { org, person } = await world.openTenant();
  const where = { ...product, org };
  const leases = await openLane(context, where, "lease", most);
  const queue = await openLane(context, where, "queued", 1, { queued_timeout_ms: QUEUED_MS });
  const create = async (stack: StackRow | undefined) =>
    (await person.create(stack?.slug ?? "", { mode: "plan", commit_sha: COMMIT })).id;
  // The holder of the lane that others queue for waits for a person who never comes.
  await create(queue.stacks[0]);
  await execute(queue.fleet, await claimNext(queue.fleet), CHANGES);
  let made: Record<keyof Late, string[]> = { lease: [], queued: [] };

  async function latenesses(kind: keyof Late, ids: string[]): Promise<number[]> {
    const [since, limit] = kind === "lease" ? ["assigned.at", LEASE_MS] : ["d.created_at", QUEUED_MS];
    const read = () => product.sql<{ ms: number }[]>`
      select 1000 * extract(epoch from d.completed_at - ${product.sql.unsafe(since)})::float8 - ${limit} as ms
      from deployments d cross join lateral (
        select min(occurred_at) as at from domain_events e where e.deployment_id = d.id and e.name = 'run_assigned'
      ) assigned
      where d.id = any(${ids}) and d.completed_at is not null`;
    await until(`${kind} deadlines to pass`, PATIENCE_MS, async () => (await read()).length === ids.length, 250);
    return (await read()).map(({ ms }) => ms);
  }

  return {
    async lease() {
      made.lease.push(await create(leases.stacks.pop()));
      await claimNext(leases.fleet);
    },
    async leasesAtOnce(count) {
      for (let i = 0; i < count; i++) made.lease.push(await create(leases.stacks.pop()));
      await Promise.all(Array.from({ length: count }, () => claimNext(leases.fleet)));
    },
    async queued() {
      made.queued.push(await create(queue.stacks[0]));
    },
    async late() {
      const { lease, queued } = made;
      made = { lease: [], queued: [] };
      return { lease: await latenesses("lease", lease), queued: await latenesses("queued", queued) };
    },
  };
}
