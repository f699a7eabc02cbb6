/** Claims that race: each pending run goes to exactly one poller (docs/rules/dispatch.md#the-claim). */
import { expect } from "vitest";
import { claimRun } from "../../src/core/dispatch/claim.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { test } from "../support/claimsTest.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { COMMIT, create, decide, makeOrg, makeStack } from "../support/fixtures.ts";
import { coordinator, groupToken, makeGroup, startRunnerApi } from "../support/runnerApi.ts";

/** The plan that serves every execution of a prepared statement, whatever its parameters. */
async function genericPlan({ sql }: TestDatabase, text: string): Promise<string> {
  const rows = await sql.unsafe(`explain (generic_plan) ${text}`);
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}

test.afterEach(({ api, copy, hinted }) =>
  expect([...api.unexpected, ...copy.unexpected, ...hinted.unexpected]).toEqual([]),
);

test("50 polls through two processes, 50 runs: each run once", async ({ database, world }) => {
  for (let round = 0; round < 5; round++) {
    const org = await makeOrg(database);
    const runs = await world.pendingRuns(org, 50);
    const claimed = await world.pollMany(50, [org]);
    expect(claimed.map((claim) => claim.run_id).sort()).toEqual(runs.sort());
    const stubs = await database.sql`select r.id from runs r join runners s on s.id = r.assigned_runner_id
      and s.run_id = r.id and s.claim_seq = r.claim_seq and s.group_id = ${org.id} where r.org_id = ${org.orgId}`;
    expect(stubs).toHaveLength(50);
    const messages = await database.sql`select message ->> 'runId' as id from outbox
      where message ->> 'kind' = 'assignLease' and message ->> 'orgId' = ${org.orgId}`;
    expect(messages.map((message) => message.id as string).sort()).toEqual(runs.sort());
    await database.sql`delete from outbox`;
  }
});

test("capacity 1 under 50 polls, with a second group that matches the same runs", async ({ database, world }) => {
  for (let round = 0; round < 10; round++) {
    const org = await makeOrg(database, { capacity: 1 });
    const first = await makeGroup(database, org.orgId, { labels: { pool: "a" }, capacity: 1 });
    const second = await makeGroup(database, org.orgId, { labels: { pool: "a", zone: "b" }, capacity: 1 });
    await world.pendingRuns(org, 6, { "svc:runner-group:pool": "a" });
    const claimed = await world.pollMany(50, [first, second]);
    expect(claimed).toHaveLength(2);
    const held =
      await database.sql`select assigned_group_id as id from runs where org_id = ${org.orgId} and status = 'assigned'`;
    expect(held.map((row) => row.id as string).sort()).toEqual([first.id, second.id].sort());
  }
});

test("a process that stalls in the middle of its claim writes nothing, and the run goes to another", async ({
  database,
  api,
  copy,
  world,
}) => {
  const org = await makeOrg(database);
  const [run] = await world.pendingRuns(org, 1);
  const claimant = { groupId: org.id, orgId: org.orgId, fingerprint: await world.fingerprint(org) };
  const stalled = claimRun(api.deps, claimant, () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_000);
    return false;
  });
  await expect(stalled).rejects.toThrow();
  expect((await (await coordinator(copy, org)).claim()).run_id).toBe(run);
  const [row] = await database.sql`select claim_seq from runs where id = ${run!}`;
  expect(row?.claim_seq).toBe(1);
});

test("an organization's in-flight cap holds over all its groups", async ({ database, world }) => {
  const capped = await startRunnerApi(database, { limits: { rateLimit: false, maxPerOrg: 3 } });
  try {
    const org = await makeOrg(database);
    await world.pendingRuns(org, 10);
    const polling = await coordinator(capped, org);
    const answers = await Promise.all(Array.from({ length: 30 }, () => polling.poll()));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(3);
  } finally {
    await capped.close();
  }
});

test("a run that a transition has locked is passed over, not waited for", async ({ database, api, world }) => {
  const org = await makeOrg(database);
  const [oldest, next] = await world.pendingRuns(org, 2);
  const first =
    await database.sql`select id from runs where id in ${database.sql([oldest!, next!])} order by first_pending_at, id`;
  await database.sql.begin(async (tx) => {
    await tx`select 1 from runs where id = ${first[0]?.id} for no key update`;
    expect((await (await coordinator(api, org)).claim()).run_id).toBe(first[1]?.id);
    expect((await (await coordinator(api, org)).poll()).status).toBe(204);
  });
  expect((await api.deps.metrics.dispatchBatchSaturated.get()).values[0]?.value).toBe(1);
});

test("prioritized runs first, then the oldest, whatever their selector", async ({ database, api, world }) => {
  const org = await makeOrg(database);
  const group = await makeGroup(database, org.orgId, { labels: { a: "1", b: "2" } });
  const byA = await world.pendingRuns(org, 2, { "svc:runner-group:a": "1" });
  const byB = await world.pendingRuns(org, 2, { "svc:runner-group:b": "2" });
  await database.sql`update runs set prioritized_at = svc_now() where id = ${byB[1]!}`;
  const order = await database.sql`select id from runs where id in ${database.sql([...byA, ...byB])}
    order by prioritized_at nulls last, first_pending_at, id`;
  const polling = await coordinator(api, group);
  const claimed = [];
  for (let i = 0; i < 4; i++) claimed.push((await polling.claim()).run_id);
  expect(claimed).toEqual(order.map((row) => row.id));
});

test("a group gets what its stored labels match, whatever its token or query says, and follows their change", async ({
  database,
  api,
  world,
}) => {
  const org = await makeOrg(database);
  const plain = await makeGroup(database, org.orgId, { labels: { pool: "small" } });
  await makeGroup(database, org.orgId, { labels: { pool: "large" } });
  const [run] = await world.pendingRuns(org, 1, { "svc:runner-group:pool": "large" });
  const polling = await coordinator(api, plain);
  expect((await polling.call("GET", "poll?wait_seconds=0&labels=pool:large")).status).toBe(204);
  await database.sql`update runner_groups set labels = '{"pool": "large"}' where id = ${plain.id}`;
  await database.sql`select match_selectors(${org.orgId})`;
  expect((await polling.claim()).run_id).toBe(run);
});

test("the plan of the claim reads the heads of the queue by index, at 20,000 pending runs", async () => {
  await using big = await freshDatabase();
  const server = await startRunnerApi(big);
  try {
    const org = await makeOrg(big);
    const stackKey = await makeStack(big, org.orgId);
    await create(server.service, stackKey, { mode: "plan_unlocked" });
    await big.sql`
      with d as (
        insert into deployments (org_id, stack_key, mode, status, repository_url, branch, working_directory, tool, commit_sha)
        select ${org.orgId}, ${stackKey}, 'plan_unlocked', 'pending', 'https://git.example/r.git', 'main', '.', 'terraform', ${COMMIT}
        from generate_series(1, 20000) returning id
      )
      insert into runs (org_id, deployment_id, kind, status, selector_id, state_locked, first_pending_at)
      select ${org.orgId}, d.id, 'plan_run', 'pending', (select selector_id from runs limit 1), false, svc_now() from d`;
    await big.sql`analyze`;
    const [group] = await big.sql`select public_key_fingerprint as f from runner_groups where id = ${org.id}`;
    const claimant = { groupId: org.id, orgId: org.orgId, fingerprint: group?.f };
    for (const rateLimit of [false, true]) {
      const deps = { ...server.deps, limits: { rateLimit, maxPerOrg: undefined } };
      const { result, statements } = await countStatements(() => claimRun(deps, claimant, () => false));
      expect(result.outcome).toBe("claimed");
      expect(statements.map((text) => text.includes("skip locked"))).toEqual([false, true]);
      const claim = statements.find((text) => text.includes("skip locked"));
      const plan = await genericPlan(big, claim!);
      expect(plan).toContain("runs_claimable");
      expect(plan).not.toMatch(/Seq Scan on (runs|deployments)/);
      expect(plan).toContain("Index Cond: ((org_id = g");
    }
    const headers = { authorization: `Bearer ${await groupToken(org)}` };
    const { statements } = await countStatements(() => server.fetch("/runner-groups/poll", { headers }));
    const peek = await genericPlan(big, statements.find((text) => text.includes("as claimable"))!);
    expect(peek).toContain("Index Cond: ((org_id = g.org_id) AND (assigned_group_id = g.id))");
  } finally {
    await server.close();
  }
});

test("claims and cancellations at once: every run is either cancelled or handed out, never both", async ({
  database,
  api,
  world,
}) => {
  for (let round = 0; round < 5; round++) {
    const org = await makeOrg(database);
    const stackKey = await makeStack(database, org.orgId);
    const deployments: string[] = [];
    for (let i = 0; i < 10; i++) deployments.push(await create(api.service, stackKey, { mode: "plan_unlocked" }));
    const [claimed] = await Promise.all([
      world.pollMany(20, [org]),
      ...deployments.slice(0, 5).map((id) => decide(api.service, database, id, "cancel")),
    ]);
    const rows =
      await database.sql`select r.id, r.status, d.status as deployment from runs r join deployments d on d.id = r.deployment_id
        where r.org_id = ${org.orgId}`;
    for (const row of rows)
      expect([row.status, row.deployment]).toEqual(
        row.status === "cancelled" ? ["cancelled", "cancelled"] : ["assigned", "pending"],
      );
    const handedOut = new Set(claimed.map((claim) => claim.run_id));
    for (const row of rows) if (row.status === "assigned") expect(handedOut.has(row.id)).toBe(true);
    expect(rows.filter((row) => row.status === "cancelled")).toHaveLength(5);
  }
});
