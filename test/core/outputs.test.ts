/** What one stack's apply left, given to another stack's plan and kept for its apply (docs/outputs.md). */
import { randomBytes } from "node:crypto";
import { describe, expect } from "vitest";
import type { InputsAnswer } from "../../src/core/runs/outputs.ts";
import { rotateEncryption } from "../../src/main/operator/rotateEncryption.ts";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import { databaseText, formsIn } from "../support/databaseText.ts";
import { decide } from "../support/fixtures.ts";
import { KEY, plain, outputsTest as test, text } from "../support/outputsTest.ts";
import { PLAN_WITH_CHANGES } from "../support/runnerApi.ts";

const PLAN_WITHOUT_CHANGES = {
  status: "success",
  plan_summary: { ...PLAN_WITH_CHANGES.plan_summary, has_changes: false },
};
const SECRET = `pass-${randomBytes(9).toString("hex")}`;

test.afterEach(({ runners }) => expect(runners.unexpected).toEqual([]));

test("a plan is given the value, and its apply the same, whatever was applied meanwhile", async ({ people, world }) => {
  const { network, app, vpc } = world;
  await world.allow(app, network);
  await world.applied(network.key, [text("vpc_id", "vpc-1")]);
  const planning = await world.planning(app.key);
  expect(planning.plan.context.environment).toEqual([]);
  expect(await planning.plan.ask(vpc(network))).toEqual({
    environment: [plain("TF_VAR_vpc_id", "vpc-1")],
    missing: [],
    waits: false,
  });
  await world.applied(network.key, [text("vpc_id", "vpc-2")]);
  // The answer was lost, and it is asked again.
  expect((await planning.plan.ask(vpc(network))).environment).toEqual([plain("TF_VAR_vpc_id", "vpc-1")]);
  const apply = await world.applying(planning);
  expect(apply.context.environment).toEqual([plain("TF_VAR_vpc_id", "vpc-1")]);
  expect(apply.context.changed_since_plan).toEqual([]);
  expect((await apply.call("POST", `/runs/${apply.run_id}/inputs`, { inputs: [] })).status).toBe(409);
  await apply.done({ status: "success" });
  expect(await people.database.sql`select from plan_inputs`).toHaveLength(0);
  const next = await world.planning(app.key);
  expect((await next.plan.ask(vpc(network))).environment).toEqual([plain("TF_VAR_vpc_id", "vpc-2")]);
});

test("a new plan takes the values of its own time, and the first one's are forgotten", async ({
  people,
  runners,
  world,
}) => {
  const { network, app, vpc } = world;
  await world.allow(app, network);
  await world.applied(network.key, [text("vpc_id", "vpc-1")]);
  const { id, plan } = await world.planning(app.key);
  await plan.ask(vpc(network));
  await plan.upload("plan", randomBytes(100));
  await plan.done(PLAN_WITH_CHANGES);
  await world.applied(network.key, [text("vpc_id", "vpc-2")]);
  await decide(runners.service, people.database, id, "confirm", { action: "replan" } as never);
  const again = await world.accepted();
  expect((await again.ask(vpc(network))).environment).toEqual([plain("TF_VAR_vpc_id", "vpc-2")]);
  const kept = await people.database.sql`
    select run_id from plan_inputs where run_id in (select id from runs where deployment_id = ${id})`;
  expect(kept.map(({ run_id }) => run_id)).toEqual([again.run_id]);
});

test("a declared output goes before a context's variable of that name, in the apply too", async ({ world }) => {
  const { network, app, vpc, org } = world;
  const variables = [plain("TF_VAR_vpc_id", "of-a-context"), plain("REGION", "here")];
  const made = await world.call("POST", `/api/v1/orgs/${org}/contexts`, { name: "c", selector: {}, variables });
  expect(made.status, made.text).toBe(201);
  await world.allow(app, network);
  await world.applied(network.key, [text("vpc_id", "vpc-1")]);
  const planning = await world.planning(app.key);
  await planning.plan.ask(vpc(network));
  const apply = await world.applying(planning);
  expect(apply.context.environment).toEqual([plain("REGION", "here"), plain("TF_VAR_vpc_id", "vpc-1")]);
});

describe("what is missing", () => {
  const missing = async (ask: Promise<InputsAnswer>) => {
    const { environment, missing: named } = await ask;
    expect(environment).toEqual([]);
    return named.map((each) => each.replace(/^output (\S+) of stack \S+: /, "$1: "));
  };

  test("is said for each value, and none is given then", async ({ world }) => {
    const { network, app, vpc } = world;
    const other = await world.stack();
    await world.applied(other.key, [text("vpc_id", "vpc-0")]);
    await world.allow(app, network);
    const { plan } = await world.planning(app.key);
    const nowhere = { slug: "nowhere" };
    expect(await missing(plan.ask(vpc(network), vpc(nowhere), vpc(other)))).toEqual([
      "vpc_id: the stack was not applied yet",
      "vpc_id: the stack gives this one no outputs",
      "vpc_id: the stack gives this one no outputs",
    ]);
    await world.applied(network.key, undefined);
    expect(await missing(plan.ask(vpc(network)))).toEqual(["vpc_id: its last apply has told no outputs"]);
    await world.applied(network.key, [text("vpc_id", "vpc-1"), { ...text("none", ""), value: "null" }]);
    expect(await missing(plan.ask(vpc(network), vpc(network, "zone_id"), vpc(network, "none")))).toEqual([
      "zone_id: its last apply left no such output",
      "none: its last apply left no such output",
    ]);
    // What is not known any more is not what it was.
    await world.applied(network.key, null);
    expect(await missing(plan.ask(vpc(network)))).toEqual(["vpc_id: its last apply has told no outputs"]);
  });

  test("an apply that failed counts once another one has succeeded", async ({ world }) => {
    const { network, app, vpc } = world;
    await world.allow(app, network);
    await world.applied(network.key, [text("vpc_id", "half")], "failure");
    const { plan } = await world.planning(app.key);
    expect(await missing(plan.ask(vpc(network)))).toEqual(["vpc_id: the stack was not applied yet"]);
    await world.applied(network.key, [text("vpc_id", "whole")]);
    expect((await plan.ask(vpc(network))).environment).toEqual([plain("TF_VAR_vpc_id", "whole")]);
  });

  test("is waited for where an apply may bring it, until a plan has everything", async ({ people, world }) => {
    const { network, app, vpc } = world;
    const { sql } = people.database;
    const waits = async () => (await sql`select awaited_key from output_waits where stack_key = ${app.key}`).length;
    const refused = await world.planning(app.key);
    expect(await refused.plan.ask(vpc(network))).toMatchObject({ waits: false });
    await world.allow(app, network);
    const preview = await world.planning(app.key, { mode: "plan_unlocked" });
    expect(await preview.plan.ask(vpc(network))).toMatchObject({ waits: false });
    expect(await waits()).toBe(0);
    expect(await refused.plan.ask(vpc(network))).toMatchObject({ waits: true });
    expect(await refused.plan.ask(vpc(network))).toMatchObject({ waits: true });
    expect(await waits()).toBe(1);
    await refused.plan.done({ status: "failure", error: "inputs are missing" });
    await world.applied(network.key, [text("vpc_id", "vpc-1")]);
    // Nobody declared anything that was applied, and still its cascade is due.
    const [apply] = await sql`
      select dependents_snapshot_at, dependents_resolved_at from deployments where stack_key = ${network.key}`;
    expect([apply?.dependents_snapshot_at === null, apply?.dependents_resolved_at]).toEqual([false, null]);
    const next = await world.planning(app.key);
    expect(await next.plan.ask(vpc(network))).toMatchObject({ missing: [], waits: false });
    expect(await waits()).toBe(0);
  });

  test("what is sensitive, unless the stack lets it be given, and never to foreign code", async ({ people, world }) => {
    const { network, app, vpc } = world;
    await world.allow(app, network);
    await world.applied(network.key, [text("vpc_id", SECRET, true), text("name", "clear")]);
    const { plan } = await world.planning(app.key);
    expect(await missing(plan.ask(vpc(network), vpc(network, "name")))).toEqual([
      "vpc_id: it is sensitive, and the stack does not give this one what is sensitive",
    ]);
    await world.allow(app, network, true);
    const given = { name: "TF_VAR_vpc_id", value: SECRET, secret: true };
    expect((await plan.ask(vpc(network))).environment).toEqual([given]);
    const fork = await world.planning(app.key, { mode: "plan_unlocked", provenance: "fork" });
    expect(await missing(fork.plan.ask(vpc(network)))).toEqual(["vpc_id: it is sensitive, and this code is foreign"]);
    expect((await fork.plan.ask(vpc(network, "name"))).environment).toEqual([plain("TF_VAR_name", "clear")]);
    expect(formsIn(await databaseText(people.database.sql), SECRET)).toEqual([]);
    const shown = await world.call("GET", `${network.path}/outputs`);
    expect(shown.body).toMatchObject({
      known: true,
      items: [
        { name: "vpc_id", sensitive: true, value: null },
        { name: "name", type: '"string"', sensitive: false, value: '"clear"' },
      ],
    });
  });
});

test("a preview is given the applied value, and nothing of it is kept", async ({ people, world }) => {
  const { network, app, vpc } = world;
  await world.allow(app, network);
  await world.applied(network.key, [text("vpc_id", "vpc-1")]);
  const { plan } = await world.planning(app.key, { mode: "plan_unlocked" });
  expect((await plan.ask(vpc(network))).environment).toEqual([plain("TF_VAR_vpc_id", "vpc-1")]);
  expect(await people.database.sql`select from plan_inputs where run_id = ${plan.run_id}`).toHaveLength(0);
});

test("only a run of the lane that is at work tells outputs, and those of the newest 20 applies are kept", async ({
  people,
  world,
}) => {
  const { network } = world;
  const preview = await world.planning(network.key, { mode: "plan_unlocked" });
  expect((await preview.plan.tell([])).status).toBe(409);
  const { id, plan } = await world.planning(network.key);
  const apply = await world.applying({ id, plan });
  await apply.tell([]);
  await apply.done({ status: "success" });
  expect(await (await apply.tell([])).json()).toMatchObject({ code: "run_already_terminal" });
  const { sql } = people.database;
  await sql`
    insert into stack_outputs (run_id, org_id, stack_key, created_at)
    select r.id, r.org_id, ${network.key}, svc_now() - interval '1 day' from runs r
    where r.id <> ${apply.run_id} and not exists (select from stack_outputs o where o.run_id = r.id) limit 30`;
  await world.applied(network.key, []);
  const [kept] = await sql`select count(*)::int as count from stack_outputs where stack_key = ${network.key}`;
  expect(kept?.count).toBeLessThanOrEqual(20);
});

test("a rotation of keys seals outputs and inputs anew", async ({ people, world }) => {
  const { network, app, vpc } = world;
  await world.allow(app, network);
  await world.applied(network.key, [text("vpc_id", "vpc-1")]);
  const planning = await world.planning(app.key);
  await planning.plan.ask(vpc(network));
  const key = randomBytes(32);
  const { db } = people.database;
  const { rotated } = await rotateEncryption(db, createKeyring({ provider: "aes-256", key, previousKeys: [KEY] }));
  expect(rotated["plan_inputs.sealed"]).toBeGreaterThanOrEqual(1);
  expect(rotated["stack_outputs.sealed"]).toBeGreaterThanOrEqual(1);
  await rotateEncryption(db, createKeyring({ provider: "aes-256", key: KEY, previousKeys: [key] }));
  expect((await world.applying(planning)).context.environment).toEqual([plain("TF_VAR_vpc_id", "vpc-1")]);
});

describe("what a plan without changes tells", () => {
  test("counts from then on, also where the apply before told nothing", async ({ world }) => {
    const { network, app, vpc } = world;
    await world.allow(app, network);
    await world.applied(network.key, undefined);
    const { id, plan } = await world.planning(network.key);
    expect((await plan.tell([text("vpc_id", "vpc-1")])).status).toBe(204);
    const asking = await world.planning(app.key);
    // It is not over yet.
    expect((await asking.plan.ask(vpc(network))).missing).toHaveLength(1);
    await plan.done(PLAN_WITHOUT_CHANGES);
    expect((await asking.plan.ask(vpc(network))).environment).toEqual([plain("TF_VAR_vpc_id", "vpc-1")]);
    const shown = await world.call("GET", `${network.path}/outputs`);
    expect(shown.body).toMatchObject({ known: true, deployment_id: id, run_id: plan.run_id });
  });

  test("of a plan that has some, the apply alone", async ({ world }) => {
    const { network, app, vpc } = world;
    await world.allow(app, network);
    const planning = await world.planning(network.key);
    await planning.plan.tell([text("vpc_id", "vpc-0")]);
    const apply = await world.applying(planning);
    await apply.done({ status: "success" });
    const { plan } = await world.planning(app.key);
    expect((await plan.ask(vpc(network))).missing).toEqual([expect.stringContaining("has told no outputs")]);
  });
});

test("an apply names the outputs that have another value than before, whatever its plan said", async ({
  people,
  world,
}) => {
  const { network } = world;
  const changed = async (...told: Parameters<typeof world.applied>) => {
    const apply = await world.applied(...told);
    const [row] = await people.database.sql`select changed from stack_outputs where run_id = ${apply.run_id}`;
    return row?.changed;
  };
  expect(await changed(network.key, [text("vpc_id", "vpc-1"), text("zone", "a")])).toEqual(["vpc_id", "zone"]);
  expect(await changed(network.key, [text("vpc_id", "vpc-1"), text("zone", "b")])).toEqual(["zone"]);
  // One that failed half way has told nothing; the retry is compared with the last one that succeeded.
  await world.applied(network.key, undefined, "failure");
  expect(await changed(network.key, [text("vpc_id", "vpc-2"), text("zone", "b")])).toEqual(["vpc_id"]);
  expect(await changed(network.key, null)).toBeNull();
  expect(await changed(network.key, [text("vpc_id", "vpc-2")])).toBeNull();
});

test("outputs that do not open any more are missing, and come with the next apply", async ({ people, world }) => {
  const { network, app, vpc } = world;
  await world.allow(app, network);
  const apply = await world.applied(network.key, [text("vpc_id", "vpc-1")]);
  await people.database.sql`update stack_outputs set sealed = ${randomBytes(80)} where run_id = ${apply.run_id}`;
  const { plan } = await world.planning(app.key);
  expect((await plan.ask(vpc(network))).missing).toEqual([expect.stringContaining("has told no outputs")]);
  expect((await world.call("GET", `${network.path}/outputs`)).status).toBe(503);
  await world.applied(network.key, [text("vpc_id", "vpc-1")]);
  expect((await plan.ask(vpc(network))).environment).toEqual([plain("TF_VAR_vpc_id", "vpc-1")]);
});
