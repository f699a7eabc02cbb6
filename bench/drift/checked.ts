/** An organization with many stacks that were applied and are checked, and runners that take their time. */
import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import type { BenchContext } from "../harness/bench.ts";
import { COMMIT, insertStacks } from "../harness/rows.ts";
import { type Fleet, NO_CHANGES } from "../harness/runner.ts";

export type Sizes = { stacks: number; checkMs: number; roundMs: number };

/** Stacks whose newest plan had nothing to change, each due at its own place in a round that has just begun. */
export async function seedChecked(sql: postgres.Sql, orgId: string, groupId: string, sizes: Sizes): Promise<void> {
  await insertStacks(sql, orgId, sizes.stacks);
  await sql`
    insert into deployments (org_id, stack_key, mode, status, repository_url, branch, working_directory, tool, commit_sha, provenance)
    select org_id, stack_key, 'plan', 'queued', repository_url, branch, '.', 'terraform', ${COMMIT}, 'branch' from stacks
    where org_id = ${orgId}`;
  for (const [from, to] of [
    ["queued", "pending"],
    ["pending", "planning"],
  ] as const)
    await sql`update deployments set status = ${to} where org_id = ${orgId} and status = ${from}`;
  await sql`update deployments set status = 'finished', completed_at = svc_now() where org_id = ${orgId} and status = 'planning'`;
  const policy = { enabled: true, interval: "P1D", cron: null, time_zone: "UTC", reconcile: "off", ignore: [] };
  await sql`
    insert into stack_drift (stack_key, org_id, policy, effective, due_at, spread_ms, duration_ms)
    select stack_key, org_id, ${sql.json(policy)}, ${sql.json(policy)},
      svc_now() + random() * ${sizes.roundMs}::float8 * interval '1 millisecond', ${sizes.roundMs}, ${sizes.checkMs}
    from stacks where org_id = ${orgId}`;
  await sql`update runner_groups set max_drift_runs = 1000 where id = ${groupId}`;
  await sql`analyze stacks, deployments, stack_drift`;
}

/** The organization's workflow begins. */
export async function beginChecking(sql: postgres.Sql, orgId: string): Promise<void> {
  await sql`select tell_drift(${orgId})`;
}

/** Runners that need so long for each check. They work until the bench ends. */
export function startCheckers(
  { closers }: BenchContext,
  fleets: readonly Fleet[],
  count: number,
  checkMs: number,
): void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const checkers = Array.from({ length: count }, async (_, i) => {
    const fleet = fleets[i % fleets.length] as Fleet;
    while (!signal.aborted) {
      try {
        const { assignment } = await fleet.group.poll(20, signal);
        if (assignment === null) continue;
        const runner = await fleet.runner(assignment);
        await runner.ready();
        await runner.accept();
        await sleep(checkMs, undefined, { signal });
        await runner.done({ ...NO_CHANGES, drift: { resources: [], total: 0 } });
      } catch {
        // A run that was given up is nobody's; another comes.
        await sleep(200);
      }
    }
  });
  closers.add(async () => {
    stopping.abort();
    await Promise.all(checkers);
  });
}

/** How many checks are under way, looked at until told to stop. */
export async function watchRunning(sql: postgres.Sql, orgId: string, stop: AbortSignal): Promise<number[]> {
  const seen: number[] = [];
  while (!stop.aborted) {
    const [row] =
      await sql`select count(*)::int as n from stack_drift where org_id = ${orgId} and check_phase = 'running'`;
    seen.push(row?.n);
    await sleep(250);
  }
  return seen;
}
