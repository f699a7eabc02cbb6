/** What people read and write of schedules, and what each needs (docs/schedules.md#who-may). */
import { describe, expect } from "vitest";
import { makeOrg, makeStack } from "../support/fixtures.ts";
import { schedulesWorld } from "../support/schedulesTest.ts";
import { peopleTest } from "../support/test.ts";

const test = peopleTest().extend("world", async ({ api }) => {
  const org = await makeOrg(api.database);
  const schedules = schedulesWorld(api.database, api.service, org);
  const { token } = await api.makeAccount(org.orgId, [["*", "*"]]);
  const call = (method: string, path: string, body?: unknown, by = token) =>
    api.call(method, `/api/v1/orgs/${org.orgId}${path}`, { token: by, ...(body !== undefined && { body }) });
  async function stack(labels: Record<string, string> = {}) {
    const stackKey = await makeStack(api.database, org.orgId, { labels });
    const [row] = await api.database.sql`select slug, name from stacks where stack_key = ${stackKey}`;
    return { stackKey, name: row?.name as string, path: `/stacks/${row?.slug}/schedules`, slug: row?.slug as string };
  }
  return {
    ...schedules,
    orgId: org.orgId,
    call,
    stack,
    account: (...pairs: [string, string][]) => api.makeAccount(org.orgId, pairs),
  };
});

const NIGHTLY = { name: "nightly", mode: "plan", cron: "0 3 * * *", time_zone: "Europe/Berlin" };
const SOON = "2099-01-01T12:00:00Z";

describe("a schedule of a stack", () => {
  test("is made, read, paused, moved and deleted, each with its entry in the trail", async ({ world, api }) => {
    const stack = await world.stack();
    const made = await world.call("POST", stack.path, NIGHTLY);
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    expect(made.body).toMatchObject({
      ...NIGHTLY,
      stack_id: stack.slug,
      selector: null,
      at: null,
      paused: false,
      next_at: expect.stringMatching(/Z$/),
      last: null,
    });
    const path = `${stack.path}/${made.body.id}`;
    expect((await world.call("GET", path)).body).toEqual(made.body);
    expect((await world.call("GET", stack.path)).body.items).toEqual([made.body]);
    expect((await world.call("PATCH", path, { paused: true })).body).toMatchObject({ paused: true, next_at: null });
    expect((await world.call("PATCH", path, { paused: true })).status).toBe(200);
    const moved = await world.call("PATCH", path, { paused: false, at: SOON });
    expect(moved.body).toMatchObject({ cron: null, at: SOON, next_at: SOON, time_zone: "Europe/Berlin" });
    expect((await world.call("DELETE", path)).status).toBe(204);
    expect((await world.call("GET", path)).status).toBe(404);
    const entries = await api.database.sql`
      select action, details from audit_log where org_id = ${world.orgId} and resource_id = ${made.body.id} order by id`;
    expect(entries.map(({ action }) => action)).toEqual([
      "schedule.create",
      "schedule.update",
      "schedule.update",
      "schedule.delete",
    ]);
    expect(entries[1]?.details).toMatchObject({ before: { paused: false }, after: { paused: true } });
  });

  test("says what its last occurrence came to", async ({ world }) => {
    const stack = await world.stack();
    const { id } = (await world.call("POST", stack.path, NIGHTLY)).body;
    await world.due(id);
    await world.step();
    const { last, next_at } = (await world.call("GET", `${stack.path}/${id}`)).body;
    expect(last).toMatchObject({ created: 1, skipped: 0, failed: 0, due: 0, deployment_status: "pending" });
    expect(last.occurs_at < next_at).toBe(true);
    const path = `/stacks/${stack.slug}/deployments/${last.deployment_id}`;
    expect((await world.call("GET", path)).body).toMatchObject({ origin_type: "schedule", created_by: null });
    const listed = await world.call("GET", `/deployments?origin_type=schedule`);
    expect(listed.body.items.map((one: { id: string }) => one.id)).toEqual([last.deployment_id]);
  });

  test.for([
    [{ name: "x", mode: "plan" }, "takes either at or cron"],
    [{ ...NIGHTLY, at: SOON }, "takes either at or cron"],
    [{ ...NIGHTLY, mode: "raw" }, "mode raw takes a script"],
    [{ ...NIGHTLY, script: "true" }, "mode raw takes a script"],
    [{ ...NIGHTLY, mode: "drift" }, "mode"],
    [{ ...NIGHTLY, cron: "* * * * *" }, "15 minutes"],
    [{ ...NIGHTLY, time_zone: "Mars/Base" }, "time zone"],
    [{ name: "x", mode: "plan", at: "2020-01-01T00:00:00Z" }, "has passed"],
    [{ name: "x", mode: "plan", at: "soon" }, "RFC 3339"],
  ] as const)("is none as %j", async ([body, why], { world }) => {
    const stack = await world.stack();
    const answer = await world.call("POST", stack.path, body);
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(why)]);
  });

  test("has a name that the stack has once, and is of no other stack", async ({ world }) => {
    const [stack, other] = [await world.stack(), await world.stack()];
    const made = await world.call("POST", stack.path, NIGHTLY);
    expect((await world.call("POST", stack.path, NIGHTLY)).status).toBe(409);
    expect((await world.call("POST", other.path, NIGHTLY)).status).toBe(201);
    for (const method of ["GET", "DELETE"])
      expect((await world.call(method, `${other.path}/${made.body.id}`)).status).toBe(404);
    expect((await world.call("GET", `/schedules/${made.body.id}`)).status).toBe(404);
  });

  test("shows nobody its script, and takes another", async ({ world, api }) => {
    const stack = await world.stack();
    const raw = { name: "tidy", mode: "raw", cron: "0 4 * * 0", script: "echo canary-first" };
    const made = await world.call("POST", stack.path, raw);
    expect(made.body).toMatchObject({ mode: "raw", command_bytes: raw.script.length });
    const path = `${stack.path}/${made.body.id}`;
    expect((await world.call("PATCH", path, { script: "echo canary-second one" })).body.command_bytes).toBe(22);
    const rows = await api.database.sql`
      select to_jsonb(s) as of from schedules s union all select to_jsonb(a) from audit_log a where org_id = ${world.orgId}`;
    expect(JSON.stringify(rows)).not.toContain("canary");
    const plan = await world.call("POST", stack.path, NIGHTLY);
    expect((await world.call("PATCH", `${stack.path}/${plan.body.id}`, { script: "true" })).status).toBe(422);
  });

  test("needs what doing it by hand needs; to pause it does not", async ({ world }) => {
    const stack = await world.stack();
    const updater = await world.account(["stack", "update"]);
    const deployer = await world.account(["stack", "update"], ["stack", "deploy"]);
    const runner = await world.account(["stack", "update"], ["stack", "run_command"]);
    const raw = { name: "raw", mode: "raw", cron: "0 4 * * 0", script: "true" };
    const post = async (by: { token: string }, body: object) =>
      (await world.call("POST", stack.path, body, by.token)).status;
    expect([await post(updater, NIGHTLY), await post(runner, NIGHTLY), await post(deployer, NIGHTLY)]).toEqual([
      404, 404, 201,
    ]);
    expect([await post(deployer, raw), await post(runner, raw)]).toEqual([404, 201]);
    const [{ id }] = (await world.call("GET", stack.path)).body.items;
    const patch = async (by: { token: string }, body: object) =>
      (await world.call("PATCH", `${stack.path}/${id}`, body, by.token)).status;
    expect(await patch(updater, { paused: true })).toBe(200);
    expect(await patch(updater, { paused: false })).toBe(404);
    expect(await patch(updater, { cron: "0 5 * * *" })).toBe(404);
    expect(await patch(updater, { name: "by night" })).toBe(200);
    expect(await patch(deployer, { paused: false, cron: "0 5 * * *" })).toBe(200);
  });
});

describe("a schedule of a selector", () => {
  test("is one of a hundred at most, and so is one of a stack", async ({ world, api }) => {
    const { stackKey, path } = await world.stack();
    const { sql } = api.database;
    for (const [key, selector] of [
      [stackKey, null],
      [null, "{}"],
    ] as const)
      await sql`insert into schedules (org_id, stack_key, selector, name, mode, cron)
        select ${world.orgId}, ${key}::uuid, ${selector}::text::jsonb, 'n' || n, 'plan', '0 3 * * *' from generate_series(1, 100) n`;
    expect((await world.call("POST", path, NIGHTLY)).body.detail).toContain("at most 100 schedules of a stack");
    const more = await world.call("POST", "/schedules", { ...NIGHTLY, selector: { env: "dev" } });
    expect([more.status, more.body.detail]).toEqual([
      409,
      expect.stringContaining("at most 100 schedules by selector"),
    ]);
  });

  test("is of the organization, and is listed with the stacks that it fits", async ({ world }) => {
    const [prod, dev] = [await world.stack({ env: "prod" }), await world.stack({ env: "dev" })];
    const made = await world.call("POST", "/schedules", { ...NIGHTLY, selector: { env: "prod" } });
    expect([made.status, made.body.stack_id, made.body.selector]).toEqual([201, null, { env: "prod" }]);
    expect((await world.call("POST", "/schedules", { ...NIGHTLY, selector: {} })).status).toBe(409);
    expect((await world.call("GET", prod.path)).body.items).toEqual([made.body]);
    expect((await world.call("GET", dev.path)).body.items).toEqual([]);
    const path = `/schedules/${made.body.id}`;
    expect((await world.call("PATCH", path, { paused: true })).body.paused).toBe(true);
    expect((await world.call("GET", path)).body.paused).toBe(true);
    expect((await world.call("DELETE", path)).status).toBe(204);
  });

  test("needs its permissions on stacks without a pattern", async ({ world, api }) => {
    const body = { ...NIGHTLY, selector: {} };
    const some = await api.makeAccount(world.orgId, [["stack", "*", { pattern: "s-*" }]]);
    const updater = await world.account(["stack", "update"]);
    const deployer = await world.account(["stack", "update"], ["stack", "deploy"]);
    const post = async (by: { token: string }) => (await world.call("POST", "/schedules", body, by.token)).status;
    expect([await post(some), await post(updater), await post(deployer)]).toEqual([403, 403, 201]);
  });
});

test("all schedules are listed that the caller may read", async ({ world, api }) => {
  const [one, two] = [await world.stack(), await world.stack()];
  await world.call("POST", one.path, { ...NIGHTLY, name: "a" });
  await world.call("POST", two.path, { ...NIGHTLY, name: "b" });
  await world.call("POST", "/schedules", { ...NIGHTLY, name: "c", selector: {} });
  const listed = async (query = "", by?: string) =>
    (await world.call("GET", `/schedules${query}`, undefined, by)).body.items.map(({ name }: { name: string }) => name);
  expect(await listed()).toEqual(["a", "b", "c"]);
  expect(await listed("?order=desc&limit=1")).toEqual(["c"]);
  const some = await api.makeAccount(world.orgId, [["stack", "read", { pattern: two.name }]]);
  expect(await listed("", some.token)).toEqual(["b"]);
});
