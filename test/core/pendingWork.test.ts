import { afterAll, beforeAll, expect, it } from "vitest";
import { claimableByGroup, peek } from "../../src/core/dispatch/pendingWork.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { COMMIT, makeOrg, makeStack, type TestOrg } from "../support/fixtures.ts";
import { makeGroup } from "../support/runnerApi.ts";

const LIMITS = { rateLimit: true, maxPerOrg: undefined };

let database: TestDatabase;
let org: TestOrg;
beforeAll(async () => {
  database = await freshDatabase({ max: 1 });
  org = await makeOrg(database);
  await pendingRuns(await makeStack(database, org.orgId), 5_000);
});
afterAll(() => database.close());

/** Pending runs of the default group's selector, as previews of one stack. */
async function pendingRuns(stackKey: string, count: number): Promise<void> {
  await database.sql`
    with numbered as (select uuidv7() as id, i from generate_series(1, ${count}) i), d as (
      insert into deployments (id, org_id, stack_key, mode, status, repository_url, branch, working_directory, tool, commit_sha)
      select id, ${org.orgId}, ${stackKey}, 'plan_unlocked', 'pending', '-', 'main', '.', 'terraform', ${COMMIT} from numbered
    ), selector as (select ensure_selector(${org.orgId}, '{}') as id)
    insert into runs (org_id, deployment_id, kind, status, selector_id, state_locked, created_at, first_pending_at)
    select ${org.orgId}, n.id, 'plan_run', 'pending', s.id, false, svc_now(), svc_now() from numbered n, selector s`;
  await database.sql`vacuum analyze runs`;
}

it("does not read the table of runs to learn that a group has no work", async () => {
  const idle = await makeGroup(database, org.orgId, { labels: { pool: "idle" } });
  await database.sql`select ensure_selector(${org.orgId}, ${database.sql.json({ pool: "idle" })})`;
  const [key] = await database.sql`select public_key_fingerprint from runner_groups where id = ${idle.id}`;
  const claims = { token_type: "runner_group", group_id: idle.id, iat: 0, exp: 9_999_999_999 } as const;
  const rowsRead = async () => {
    await database.db.$client.unsafe("select pg_stat_force_next_flush()");
    const [stat] = await database.sql`select seq_tup_read::int as n from pg_stat_user_tables where relname = 'runs'`;
    return stat?.n as number;
  };
  const before = await rowsRead();
  // More often than Postgres tries plans of their own before it keeps one.
  for (let i = 0; i < 8; i++) {
    const signed = { claims, fingerprint: key?.public_key_fingerprint };
    expect(await peek(database.db, signed, LIMITS, "on")).toMatchObject({ claimable: 0 });
    expect(await claimableByGroup(database.db, new Map([[idle.id, 3]]), LIMITS)).toEqual(new Map());
  }
  expect((await rowsRead()) - before).toBe(0);
  expect(await claimableByGroup(database.db, new Map([[org.groupId, 3]]), LIMITS)).toEqual(new Map([[org.groupId, 3]]));
});
