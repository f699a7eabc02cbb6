/**
 * The state tables in code and the trigger in Postgres say the same, pair by pair
 * (docs/rules/transitions.md#illegal-steps-are-refused-by-the-database).
 */
import { expect } from "vitest";
import { canBecome, DEPLOYMENT_MODES, DEPLOYMENT_STATUSES, usesLane } from "../../src/core/deployments/lifecycle.ts";
import { RUN_STATUSES, RUN_TRANSITIONS } from "../../src/core/runs/lifecycle.ts";
import { create, makeOrg, makeStack, testService } from "../support/fixtures.ts";
import { databaseTest } from "../support/test.ts";

const test = databaseTest().extend("world", { scope: "file" }, async ({ database }) => {
  const org = await makeOrg(database);
  const deploymentId = await create(testService(database), await makeStack(database, org.orgId));

  /** Put the row in `from` behind the trigger's back, then try the step with the trigger on. */
  async function allowed(table: "deployments" | "runs", set: Record<string, string>, to: string): Promise<boolean> {
    const { sql } = database;
    return sql
      .begin(async (tx) => {
        await tx`alter table ${tx(table)} disable trigger ${tx(`${table}_transitions`)}`;
        await tx`update ${tx(table)} set ${tx(set)} where ${table === "runs" ? tx`deployment_id` : tx`id`} = ${deploymentId}`;
        await tx`alter table ${tx(table)} enable trigger ${tx(`${table}_transitions`)}`;
        await tx`update ${tx(table)} set status = ${to} where ${table === "runs" ? tx`deployment_id` : tx`id`} = ${deploymentId}`;
        await tx`rollback and chain`;
        return true;
      })
      .catch((error) => {
        if (error.code === "SV001") return false;
        throw error;
      });
  }

  return { allowed, deploymentId };
});

test.beforeAll(async ({ database }) => {
  const { sql } = database;
  // Only the trigger is under test: the checks that tie statuses to timestamps would refuse most of these bare updates
  // too.
  const checks = await sql`
    select conrelid::regclass::text as table, conname from pg_constraint where contype = 'c' and conrelid in ('deployments'::regclass, 'runs'::regclass)`;
  for (const check of checks) await sql`alter table ${sql(check.table)} drop constraint ${sql(check.conname)}`;
});

test("deployments: every mode, from and to", async ({ world }) => {
  const wrong: string[] = [];
  for (const mode of DEPLOYMENT_MODES) {
    for (const from of DEPLOYMENT_STATUSES) {
      for (const to of DEPLOYMENT_STATUSES) {
        const expected = from === to || (canBecome(mode, from, to) && (usesLane(mode) || to !== "queued"));
        if ((await world.allowed("deployments", { mode, status: from }, to)) !== expected)
          wrong.push(`${mode}: ${from} -> ${to}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test("runs: every from and to", async ({ world }) => {
  const wrong: string[] = [];
  for (const from of RUN_STATUSES) {
    for (const to of RUN_STATUSES) {
      const expected = from === to || (RUN_TRANSITIONS[from] as readonly string[]).includes(to);
      if ((await world.allowed("runs", { status: from }, to)) !== expected) wrong.push(`${from} -> ${to}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("a deployment keeps its mode, and first statuses are fixed", async ({ database, world }) => {
  const { sql } = database;
  await expect(sql`update deployments set mode = 'destroy' where id = ${world.deploymentId}`).rejects.toMatchObject({
    code: "SV001",
  });
  const insert = (mode: string, status: string) => sql`
    insert into deployments (org_id, stack_key, mode, status, repository_url, branch, working_directory, tool, commit_sha)
    select org_id, stack_key, ${mode}, ${status}, repository_url, branch, working_directory, tool, commit_sha from deployments where id = ${world.deploymentId}`;
  await expect(insert("plan", "pending")).rejects.toMatchObject({ code: "SV001" });
  await expect(insert("plan_unlocked", "queued")).rejects.toMatchObject({ code: "SV001" });
  await expect(insert("plan", "finished")).rejects.toMatchObject({ code: "SV001" });
});
