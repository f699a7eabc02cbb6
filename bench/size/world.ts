/** An installation of so many stacks with a past: its own database and its own API, in front of one Postgres. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type postgres from "postgres";
import type { BenchContext } from "../harness/bench.ts";
import { Person } from "../harness/person.ts";
import { type Program, startPrograms } from "../harness/programs.ts";
import { insertStacks, type StackRow } from "../harness/rows.ts";
import { type Fleet, openFleet } from "../harness/runner.ts";
import { type BenchOrg, seedOrg, seedPendingRuns, selectorOf, settle, WIDE_LIMITS } from "../harness/seed.ts";
import type { BenchPostgres } from "../harness/servers.ts";

export type World = {
  name: string;
  sql: postgres.Sql;
  org: BenchOrg;
  stacks: StackRow[];
  api: Program;
  person: Person;
  fleet: Fleet;
  /** The postmaster. */
  postgres: number;
};

export type WorldSize = { stacks: number; past: number };

/** Rows of one statement of the past. */
const BATCH = 50_000;

export async function openWorld(
  context: BenchContext,
  postgres: BenchPostgres,
  name: string,
  { stacks: count, past }: WorldSize,
): Promise<World> {
  const began = performance.now();
  const { sql, url: databaseUrl } = await postgres.database(name, 1);
  const org = await seedOrg(sql, WIDE_LIMITS);
  const stacks = await insertStacks(sql, org.orgId, count);
  const selectors = [await selectorOf(sql, org.orgId, {})];
  for (let from = 0; from < past; from += BATCH) {
    context.signal.throwIfAborted();
    const batch = Math.min(BATCH, past - from);
    // A batch is an hour older than the next one.
    const age = (1 + (past - from) / BATCH) * 3_600_000;
    const keys = stacks.map(({ stack_key }) => stack_key);
    await seedPendingRuns(sql, org.orgId, keys, selectors, batch, age);
    await endPending(sql);
  }
  await settle(sql, "stacks", "deployments", "runs", "stages");
  const folder = join(context.folder, name);
  await mkdir(folder);
  const [api] = await startPrograms(
    { ...context, folder },
    // Nothing listens there: what is measured needs no workflow.
    { databaseUrl, temporalAddress: "127.0.0.1:9", workers: 0 },
  );
  if (api === undefined) throw new Error("no API was started");
  const fleet = await openFleet(api.baseUrl, org.group, folder);
  const seconds = Math.round((performance.now() - began) / 1_000);
  context.say(`${name}: ${count} stacks with ${past} past deployments after ${seconds} s`);
  return {
    name,
    sql,
    org,
    stacks,
    api,
    person: new Person(() => api.baseUrl, org),
    fleet,
    postgres: postgres.server.pid,
  };
}

/** All that is pending ends, by legal steps. */
export async function endPending(sql: postgres.Sql): Promise<void> {
  await sql`
    with ended as (
      update runs set status = 'cancelled', completed_at = svc_now() where status = 'pending' returning deployment_id
    ), stages as (
      update stages s set phase = 'cancelled', completed_at = svc_now() from ended e where s.deployment_id = e.deployment_id
    )
    update deployments d set status = 'cancelled', completed_at = svc_now() from ended e where d.id = e.deployment_id`;
}
