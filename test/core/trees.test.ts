/** The tree of a plan: fixed with it, served to its apply alone (docs/rules/runner-protocol.md#trees). */
import { createHash, randomBytes } from "node:crypto";
import { expect } from "vitest";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { create, decide, makeOrg, makeStack, statuses } from "../support/fixtures.ts";
import { coordinator, PLAN_WITH_CHANGES, runner } from "../support/runnerApi.ts";
import { verdict } from "../support/runnerProtocolTest.ts";
import { runnerTest } from "../support/test.ts";

const test = runnerTest({ artifactBytes: 10_000, treeBytes: 100_000 }).extend("world", ({ database, api }) => {
  /** A plan that left `tree`, confirmed, and the claim of its apply. */
  async function confirmed(tree: Buffer | null) {
    const org = await makeOrg(database);
    const deploymentId = await create(api.service, await makeStack(database, org.orgId));
    const polling = await coordinator(api, org);
    const planner = await runner(api, org, await polling.claim());
    expect((await planner.accept()).status).toBe(200);
    expect((await planner.upload("plan", Buffer.from("plan"))).status).toBe(204);
    if (tree !== null) expect((await planner.upload("tree", tree)).status).toBe(204);
    expect((await planner.done(PLAN_WITH_CHANGES)).status).toBe(204);
    await decide(api.service, database, deploymentId, "confirm", { action: "apply" } as never);
    return { deploymentId, planner, applier: await runner(api, org, await polling.claim()) };
  }
  return { confirmed };
});

test.afterEach(({ api }) => expect(api.unexpected).toEqual([]));

test("the apply gets the digest and the tree of its plan, which nobody can replace any more", async ({ world }) => {
  const tree = randomBytes(60_000);
  const { planner, applier } = await world.confirmed(tree);
  const context = (await (await applier.accept()).json()) as RunContext;
  expect(context.run.tree_sha256).toBe(createHash("sha256").update(tree).digest("hex"));
  expect(context.limits).toMatchObject({ artifact_bytes: 10_000, tree_bytes: 100_000 });
  expect(await verdict(planner.upload("tree", randomBytes(5)))).toEqual({ status: 409, code: "run_already_terminal" });
  expect((await applier.upload("tree", randomBytes(5))).status).toBe(204);
  expect(Buffer.from(await (await applier.download("tree")).arrayBuffer()).equals(tree)).toBe(true);
});

test("a tree has a limit of its own", async ({ database, api }) => {
  const org = await makeOrg(database);
  await create(api.service, await makeStack(database, org.orgId));
  const planner = await runner(api, org, await (await coordinator(api, org)).claim());
  await planner.accept();
  expect((await planner.upload("plan", Buffer.alloc(10_001))).status).toBe(413);
  expect((await planner.upload("tree", Buffer.alloc(100_000))).status).toBe(204);
  expect((await planner.upload("tree", Buffer.alloc(100_001))).status).toBe(413);
});

test.for([undefined, { protocol: 1 }, {}])(
  "a runner that says %j is refused the apply of a plan with a tree, and the run waits for another",
  async (body, { database, world }) => {
    const { deploymentId, applier } = await world.confirmed(randomBytes(10));
    const answer = await applier.call("POST", `/runs/${applier.run_id}/accept`, body);
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({
      code: "runner_too_old",
      detail: expect.stringContaining("a runner of version 0.2.0 or newer"),
    });
    expect((await statuses(database, deploymentId)).runs).toEqual(["plan_run:success", "apply_run:assigned"]);
    const [run] = await database.sql`select accept_problem from runs where id = ${applier.run_id}`;
    expect(run?.accept_problem).toContain("0.2.0");
  },
);

test("a plan without a tree is applied by any runner", async ({ world }) => {
  const { applier } = await world.confirmed(null);
  const accepted = await applier.call("POST", `/runs/${applier.run_id}/accept`);
  expect(accepted.status).toBe(200);
  expect(((await accepted.json()) as RunContext).run.tree_sha256).toBeNull();
  expect((await applier.download("tree")).status).toBe(404);
});

test("a body that makes no sense is refused", async ({ database, api }) => {
  const org = await makeOrg(database);
  await create(api.service, await makeStack(database, org.orgId));
  const planner = await runner(api, org, await (await coordinator(api, org)).claim());
  expect((await planner.accept({ protocol: "two" })).status).toBe(400);
  expect((await planner.accept({ protocol: 3, more: true })).status).toBe(200);
});
