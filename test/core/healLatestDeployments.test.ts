/** A stack's stored newest deployment is compared with its deployments and corrected; what is right is left alone. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertStacks } from "../../bench/harness/rows.ts";
import { latestDeploymentHealer } from "../../src/core/stackLife/healLatestDeployments.ts";
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
  const pass = latestDeploymentHealer(database.db);
  expect(await pass()).toBe(0);
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
    // The fourth was never deployed, so it has no first deployment either.
    expect([column, await pass()]).toEqual([column, column === "id" ? 1 : 2]);
    expect(await shown(keys)).toEqual(right);
  }
});
