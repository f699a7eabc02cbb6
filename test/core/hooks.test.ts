/** Which hooks a run is given, and who may write them (docs/stacks.md#hooks). */
import { expect } from "vitest";
import type { NewDeployment } from "../../src/core/deployments/transitions/create.ts";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { create, decide, makeOrg, makeStack, statuses } from "../support/fixtures.ts";
import { coordinator, PLAN_WITH_CHANGES, runner } from "../support/runnerApi.ts";
import { runnerTest } from "../support/test.ts";

const HOOKS = { before_plan: "echo 1", after_plan: "echo 2", before_apply: "echo 3", after_apply: "echo 4" };
const ACCEPT = { protocol: 3, looks_at_branch: true, runs_hooks: true };

const test = runnerTest().extend("world", async ({ database, api }) => {
  const org = await makeOrg(database);
  const stackKey = await makeStack(database, org.orgId, { hooks: HOOKS });
  const polling = await coordinator(api, org);
  const claimed = async () => runner(api, org, await polling.claim());
  type Run = Awaited<ReturnType<typeof claimed>>;
  const hooksOf = async (run: Run) => ((await (await run.accept(ACCEPT)).json()) as RunContext).hooks;
  return {
    stackKey,
    claimed,
    hooksOf,
    async deployed(input: Partial<NewDeployment> = {}) {
      const id = await create(api.service, stackKey, input);
      return { id, run: await claimed() };
    },
  };
});

test("a plan and its apply are given those that the stack had when the deployment was made", async ({
  world,
  api,
  database,
}) => {
  const { id, run } = await world.deployed();
  await database.sql`update stacks set hooks = '{"before_apply": "echo other"}' where stack_key = ${world.stackKey}`;
  expect(await world.hooksOf(run)).toEqual({ before_plan: "echo 1", after_plan: "echo 2" });
  await run.upload("plan", Buffer.from("plan"));
  await run.done(PLAN_WITH_CHANGES);
  await decide(api.service, database, id, "confirm", { action: "apply" } as never);
  const apply = await world.claimed();
  expect(await world.hooksOf(apply)).toEqual({ before_apply: "echo 3", after_apply: "echo 4" });
  const error = "The hook after_apply failed with exit code 3. What was applied stays applied.";
  expect((await apply.done({ status: "success", error })).status).toBe(204);
  const { deployment, row, runs } = await statuses(database, id);
  expect([deployment, row.error, runs.at(-1)]).toEqual(["finished", error, "apply_run:success"]);
});

test("a stack without hooks sends none, and code of strangers and commands get none", async ({ world, database }) => {
  const foreign = await world.deployed({ mode: "plan_unlocked", provenance: "foreign" });
  expect(await world.hooksOf(foreign.run)).toBeUndefined();
  await database.sql`update stacks set hooks = '{}' where stack_key = ${world.stackKey}`;
  const { run } = await world.deployed();
  expect(await world.hooksOf(run)).toBeUndefined();
});

test("a check for drift is prepared as a plan is, and nothing follows it", async ({ world }) => {
  const { run } = await world.deployed({ mode: "drift", originType: "drift" });
  expect(await world.hooksOf(run)).toEqual({ before_plan: "echo 1" });
});

test("a runner that carries none out is refused", async ({ world }) => {
  const { run } = await world.deployed();
  const answer = await run.accept({ protocol: 3, looks_at_branch: true });
  expect(await answer.json()).toMatchObject({ code: "runner_too_old", detail: expect.stringContaining("hooks") });
});
