/** The planner goes by statistics of a minute ago: what was not queued then may be a burst now. */
import { expect } from "vitest";
import { queueBehind } from "../../bench/burst/queues.ts";
import { COMMIT, insertStacks } from "../../bench/harness/rows.ts";
import { readDeployment } from "../../src/core/deployments/resource.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { makeOrg } from "../support/fixtures.ts";
import { databaseTest } from "../support/test.ts";

const test = databaseTest();

type PlanNode = { "Actual Rows": number; "Actual Loops": number; Plans?: PlanNode[] };

/** Of the step that gave most. */
function mostRows({ Plans = [], ...step }: PlanNode): number {
  return Math.max(step["Actual Rows"] * step["Actual Loops"], ...Plans.map(mostRows));
}

test("a deployment is read in few steps, though statistics know of no queue", async ({ database }) => {
  const { db, sql } = database;
  const { orgId } = await makeOrg(database);
  const stacks = (await insertStacks(sql, orgId, 800)).map((stack) => stack.stack_key);
  // Rows as they are after a while, without the way there.
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into deployments (org_id, stack_key, mode, status, repository_url, branch, working_directory, tool, commit_sha)
      select org_id, stack_key, 'plan', 'pending', repository_url, branch, '.', 'terraform', ${COMMIT}
      from stacks where org_id = ${orgId}`;
  });
  await sql`vacuum analyze`;
  const queued = await queueBehind(sql, stacks.slice(0, 20), 25);
  const id = queued.get(stacks[3] ?? "")?.[7] ?? "";
  const { result, statements } = await countStatements(() => readDeployment(db, null, id));
  expect(result.queue_position).toBe(8);
  const [row] = await sql.unsafe(`explain (analyze, format json) ${statements[0]}`, [id]);
  expect(mostRows(row?.["QUERY PLAN"][0].Plan)).toBeLessThan(1_000);
});
