/**
 * An apply gets the variables of its plan, whatever its contexts have become
 * (docs/rules/deployments.md#variables-of-an-apply).
 */
import { randomBytes } from "node:crypto";
import { test as base, expect } from "vitest";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { rotateEncryption } from "../../src/main/operator/rotateEncryption.ts";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import { databaseText, formsIn } from "../support/databaseText.ts";
import { create, decide, makeStack } from "../support/fixtures.ts";
import { startPeopleApi } from "../support/peopleApi.ts";
import { coordinator, makeGroup, PLAN_WITH_CHANGES, runner, startRunnerApi } from "../support/runnerApi.ts";

const KEY = randomBytes(32);
const OLD = `old-${randomBytes(9).toString("hex")}`;
const NEW = `new-${randomBytes(9).toString("hex")}`;
const plain = (name: string, value: string) => ({ name, value, secret: false });
const secret = (name: string, value: string) => ({ name, value, secret: true });

const test = base
  .extend("people", { scope: "file" }, async ({}, { onCleanup }) => {
    const people = await startPeopleApi({
      keyring: createKeyring({ provider: "aes-256", key: KEY, previousKeys: [] }),
    });
    onCleanup(() => people.close());
    return people;
  })
  .extend("runners", { scope: "file" }, async ({ people }, { onCleanup }) => {
    const runners = await startRunnerApi(people.database, { keyring: people.keyring, objects: people.objects });
    onCleanup(() => runners.close());
    return runners;
  })
  .extend("world", async ({ people, runners }) => {
    const { database } = people;
    const { sql } = database;
    const org = await people.makeOrg();
    await sql`update organizations set runs_per_hour_limit = 1000 where id = ${org}`;
    const { token } = await people.makeAccount(org, [["*", "*"]]);
    const group = await makeGroup(database, org);
    const contexts = `/api/v1/orgs/${org}/contexts`;
    const call = (method: string, at: string, body?: unknown) => people.call(method, at, { token, body });

    async function context(variables: object[]): Promise<string> {
      const made = await call("POST", contexts, { name: "all", selector: {}, variables });
      expect(made.status, made.text).toBe(201);
      return made.body.id;
    }
    const rotate = (id: string, variables: object[]) =>
      call("PUT", `${contexts}/${id}`, { name: "all", selector: {}, variables });
    const remove = (id: string) => call("DELETE", `${contexts}/${id}`);

    async function accepted() {
      const one = await runner(runners, group, await (await coordinator(runners, group)).claim(5));
      const answer = await one.accept();
      expect(answer.status).toBe(200);
      return { ...one, context: (await answer.json()) as RunContext };
    }

    async function planned(stackKey?: string) {
      const id = await create(runners.service, stackKey ?? (await makeStack(database, org)));
      const plan = await accepted();
      await plan.upload("plan", randomBytes(100));
      await plan.done(PLAN_WITH_CHANGES);
      return { id, plan };
    }

    async function applied(id: string) {
      await decide(runners.service, database, id, "confirm", { action: "apply" } as never);
      return accepted();
    }

    const kept = async (runId: string) =>
      (await sql`select sealed from plan_environments where run_id = ${runId}`).map(({ sealed }) => sealed);

    return { org, context, rotate, remove, accepted, planned, applied, kept };
  });

test.afterEach(({ runners }) => expect(runners.unexpected).toEqual([]));

test("a secret that was rotated while the plan waited: the apply has the plan's, and masks both", async ({
  people,
  world,
}) => {
  const id = await world.context([
    secret("TOKEN", OLD),
    plain("REGION", "here"),
    plain("GONE", "once"),
    plain("SAME", "1"),
  ]);
  const { id: deployment, plan } = await world.planned();
  expect(plan.context.changed_since_plan).toBeUndefined();
  await world.rotate(id, [
    secret("TOKEN", NEW),
    plain("REGION", "there"),
    secret("ADDED", "only-now"),
    plain("SAME", "1"),
  ]);
  const { context } = await world.applied(deployment);
  expect(context.environment).toEqual(plan.context.environment);
  expect(context.environment).toContainEqual(secret("TOKEN", OLD));
  expect(context.changed_since_plan).toEqual([
    { name: "ADDED", secret_now: "only-now" },
    { name: "GONE", secret_now: null },
    { name: "REGION", secret_now: null },
    { name: "TOKEN", secret_now: NEW },
  ]);
  for (const value of [OLD, NEW]) expect(formsIn(await databaseText(people.database.sql), value)).toEqual([]);
});

test("a context that is gone, and one that came: neither changes what the apply gets", async ({ world }) => {
  const id = await world.context([secret("TOKEN", OLD)]);
  const first = await world.planned();
  await world.remove(id);
  const apply = await world.applied(first.id);
  expect(apply.context.environment).toEqual([secret("TOKEN", OLD)]);
  await apply.done({ status: "success" });
  const second = await world.planned();
  await world.context([secret("TOKEN", NEW)]);
  expect((await world.applied(second.id)).context).toMatchObject({
    environment: [],
    changed_since_plan: [{ name: "TOKEN", secret_now: NEW }],
  });
});

test("a value that became a secret meanwhile is masked, though the plan had it in the clear", async ({ world }) => {
  const id = await world.context([plain("TOKEN", OLD)]);
  const { id: deployment } = await world.planned();
  await world.rotate(id, [secret("TOKEN", OLD)]);
  expect((await world.applied(deployment)).context).toMatchObject({
    environment: [plain("TOKEN", OLD)],
    changed_since_plan: [{ name: "TOKEN", secret_now: OLD }],
  });
});

test("a new plan takes the variables of its own time, and the first one's are forgotten", async ({
  people,
  runners,
  world,
}) => {
  const id = await world.context([secret("TOKEN", OLD)]);
  const { id: deployment, plan } = await world.planned();
  await world.rotate(id, [secret("TOKEN", NEW)]);
  await decide(runners.service, people.database, deployment, "confirm", { action: "replan" } as never);
  const again = await world.accepted();
  expect(again.context.environment).toEqual([secret("TOKEN", NEW)]);
  expect([await world.kept(plan.run_id), await world.kept(again.run_id)]).toEqual([[], [expect.any(Buffer)]]);
});

test("a plan of before has none kept: its apply gets what contexts give today", async ({ people, world }) => {
  const id = await world.context([secret("TOKEN", OLD)]);
  const { id: deployment, plan } = await world.planned();
  await people.database.sql`delete from plan_environments where run_id = ${plan.run_id}`;
  await world.rotate(id, [secret("TOKEN", NEW)]);
  const { context } = await world.applied(deployment);
  expect([context.environment, context.changed_since_plan]).toEqual([[secret("TOKEN", NEW)], undefined]);
});

test("they go with the deployment's end, however it ends, and with stack and organization", async ({
  people,
  runners,
  world,
}) => {
  const { database } = people;
  await world.context([secret("TOKEN", OLD)]);
  const skipped = await world.planned();
  expect(await world.kept(skipped.plan.run_id)).toEqual([expect.any(Buffer)]);
  await decide(runners.service, database, skipped.id, "skip");
  const finished = await world.planned();
  const apply = await world.applied(finished.id);
  expect(await world.kept(finished.plan.run_id)).toHaveLength(1);
  await apply.done({ status: "success" });
  const failed = await world.planned();
  await (await world.applied(failed.id)).done({ status: "failure", error: "it broke" });
  const unlocked = await create(runners.service, await makeStack(database, world.org), { mode: "plan_unlocked" });
  const preview = await world.accepted();
  for (const runId of [skipped, finished, failed].map(({ plan }) => plan.run_id).concat(preview.run_id)) {
    expect(await world.kept(runId)).toEqual([]);
  }
  await decide(runners.service, database, unlocked, "cancel");
  const { plan } = await world.planned();
  expect(await world.kept(plan.run_id)).toHaveLength(1);
  await database.sql`delete from organizations where id = ${world.org}`;
  expect(await world.kept(plan.run_id)).toEqual([]);
});

test("a rotation of keys seals them anew, and a row that was copied to another plan does not open", async ({
  people,
  world,
}) => {
  const { sql, db } = people.database;
  await world.context([secret("TOKEN", OLD)]);
  const first = await world.planned();
  const second = await world.planned();
  const key = randomBytes(32);
  const after = createKeyring({ provider: "aes-256", key, previousKeys: [KEY] });
  expect((await rotateEncryption(db, after)).rotated["plan_environments.sealed"]).toBeGreaterThanOrEqual(2);
  await rotateEncryption(db, createKeyring({ provider: "aes-256", key: KEY, previousKeys: [key] }));
  expect((await world.applied(first.id)).context.environment).toEqual([secret("TOKEN", OLD)]);
  await sql`update plan_environments set sealed = (select sealed from plan_environments where run_id = ${first.plan.run_id})
    where run_id = ${second.plan.run_id}`;
  await expect(world.applied(second.id)).rejects.toThrow();
});
