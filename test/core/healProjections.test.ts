/** What is stored twice is compared with where it comes from, corrected and counted; what is right is left alone. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertStacks } from "../../bench/harness/rows.ts";
import { healing } from "../../src/core/stackLife/healProjections.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { create, decide, makeOrg, type TestOrg, type TestService, testService } from "../support/fixtures.ts";

let database: TestDatabase;
let service: TestService;
let org: TestOrg;
beforeAll(async () => {
  database = await freshDatabase();
  service = testService(database);
  org = await makeOrg(database);
});
afterAll(() => database.close());

const LATEST = ["id", "status", "mode", "commit_sha", "created_at", "completed_at"].map(
  (name) => `latest_deployment_${name}`,
);

const shown = async (keys: string[]) =>
  database.sql`select ${database.sql(["stack_key", ...LATEST])}, updated_at from stacks where stack_key = any(${keys}) order by stack_key`;

test("each column of the newest deployment that differs is corrected, whatever made it differ", async () => {
  const stacks = await insertStacks(database.sql, org.orgId, 4, {});
  const keys = stacks.map(({ stack_key }) => stack_key);
  for (const key of keys.slice(0, 3)) {
    const first = await create(service, key);
    await decide(service, database, first, "cancel");
    await create(service, key);
    await create(service, key, { mode: "plan_unlocked" });
  }
  const right = await shown(keys);
  const healed: [string, number][] = [];
  const projections = healing(database.db, (...told) => void healed.push(told));
  expect(await projections.pass()).toEqual({ latest_deployment: 0, group_selectors: 0 });
  expect(await shown(keys)).toEqual(right);

  const wrong: Record<string, string> = {
    id: `(select id from deployments where stack_key = stacks.stack_key order by created_at limit 1)`,
    status: "'failed'",
    mode: "'raw'",
    commit_sha: "'x'",
    created_at: "now() - interval '1 day'",
    completed_at: "now()",
  };
  for (const [column, value] of Object.entries(wrong)) {
    await database.sql.unsafe(
      `update stacks set latest_deployment_${column} = ${value} where stack_key = any(array['${keys[0]}', '${keys[3]}']::uuid[])`,
    );
    const { latest_deployment } = await projections.pass();
    // The fourth was never deployed, so it has no first deployment either.
    expect([column, latest_deployment]).toEqual([column, column === "id" ? 1 : 2]);
    expect(await shown(keys)).toEqual(right);
  }
  expect(healed.every(([projection]) => projection === "latest_deployment")).toBe(true);
  expect(healed.reduce((sum, [, rows]) => sum + rows, 0)).toBe(11);
});

test("the groups that serve a selector are found again", async () => {
  const [stack] = await insertStacks(database.sql, org.orgId, 1, {});
  await create(service, stack!.stack_key);
  const serving = () => database.sql`select group_id, selector_id from group_selectors order by 1, 2`;
  const right = await serving();
  expect(right.length).toBeGreaterThan(0);
  await database.sql`delete from group_selectors`;
  const told: unknown[] = [];
  expect((await healing(database.db, (...one) => void told.push(one)).pass()).group_selectors).toBe(right.length);
  expect(await serving()).toEqual(right);
  expect(told).toEqual([["group_selectors", right.length]]);
});
