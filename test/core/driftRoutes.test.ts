/** What people read and write about drift, and what each needs (docs/drift.md#who-may). */
import { describe, expect } from "vitest";
import { driftWorld, refreshed, SETTLED } from "../support/driftTest.ts";
import { create, makeOrg } from "../support/fixtures.ts";
import { peopleTest } from "../support/test.ts";

const test = peopleTest().extend("world", async ({ api }) => {
  const org = await makeOrg(api.database);
  const drift = driftWorld(api.database, api.service, org);
  const { token } = await api.makeAccount(org.orgId, [["*", "*"]]);
  const call = (method: string, path: string, body?: unknown, by = token) =>
    api.call(method, `/api/v1/orgs/${org.orgId}${path}`, { token: by, ...(body !== undefined && { body }) });
  /** A stack that was applied, by its key and id. */
  async function applied(labels: Record<string, string> = {}) {
    const stackKey = await drift.applied({ labels }, null);
    const [stack] = await api.database.sql`select slug from stacks where stack_key = ${stackKey}`;
    return { stackKey, path: `/stacks/${stack?.slug}/drift`, slug: stack?.slug as string };
  }
  return {
    ...drift,
    orgId: org.orgId,
    call,
    applied,
    account: (...pairs: [string, string][]) => api.makeAccount(org.orgId, pairs),
  };
});

const DAILY = { enabled: true, interval: "P1D", cron: null, time_zone: "UTC", reconcile: "off", ignore: [] };

describe("a stack", () => {
  test("says that nothing is known, then what counts, then what was found", async ({ world }) => {
    const stack = await world.applied();
    expect((await world.call("GET", stack.path)).body).toMatchObject({
      status: "unknown",
      since: null,
      effective: null,
    });
    const put = await world.call("PUT", stack.path, { interval: "P1D", ignore: ["b.*"] });
    expect([put.status, put.body.policy]).toEqual([200, { ...DAILY, ignore: ["b.*"] }]);
    await world.check(stack.stackKey, refreshed("a.x", "b.y"));
    const { body } = await world.call("GET", stack.path);
    expect(body).toMatchObject({
      status: "drifted",
      total: 1,
      ignored: 1,
      resources: [{ address: "a.x", action: "changed" }],
      policy: { ignore: ["b.*"] },
      effective: { interval: "P1D" },
      schedule: null,
      put_off: null,
      running_deployment_id: null,
    });
    const check = await world.call("GET", `/stacks/${stack.slug}/deployments/${body.checked_deployment_id}`);
    expect(check.body).toMatchObject({ mode: "drift", status: "finished", allowed_actions: [] });
    const all = await world.call("GET", `/stacks/${stack.slug}/deployments`);
    expect(all.body.items.map(({ mode }: { mode: string }) => mode)).toEqual(["plan"]);
    const checks = await world.call("GET", `/stacks/${stack.slug}/deployments?mode=drift`);
    expect(checks.body.items.map(({ mode }: { mode: string }) => mode)).toEqual(["drift"]);
    const across = async (query: string) =>
      (await world.call("GET", `/deployments${query}`)).body.items.map(({ mode }: { mode: string }) => mode);
    expect([await across(""), await across("?mode=drift"), (await across("?mode=plan,drift")).sort()]).toEqual([
      ["plan"],
      ["drift"],
      ["drift", "plan"],
    ]);
    expect(
      (await world.call("POST", `/stacks/${stack.slug}/deployments/${body.checked_deployment_id}/retry`)).status,
    ).toBe(409);
  });

  test.for([
    [{}, "takes either interval or cron"],
    [{ interval: "P1D", cron: "0 3 * * *" }, "takes either interval or cron"],
    [{ interval: "PT1M" }, "PT15M"],
    [{ interval: "P90D" }, "P31D"],
    [{ cron: "* * * * *" }, "15 minutes"],
    [{ cron: "0 3 * * *", time_zone: "Mars/Base" }, "time zone"],
    [{ interval: "P1D", ignore: ["a\nb"] }, "control characters"],
    [{ interval: "P1D", reconcile: "always" }, "reconcile"],
  ] as const)("takes no policy %j", async ([body, why], { world }) => {
    const stack = await world.applied();
    const answer = await world.call("PUT", stack.path, body);
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(why)]);
  });

  test("needs what doing it by hand needs", async ({ world }) => {
    const stack = await world.applied();
    const updater = await world.account(["stack", "update"]);
    const deployer = await world.account(["stack", "update"], ["stack", "deploy"]);
    const confirmer = await world.account(["stack", "update"], ["stack", "confirm"]);
    const put = async (by: { token: string }, reconcile: string) =>
      (await world.call("PUT", stack.path, { interval: "P1D", reconcile }, by.token)).status;
    expect(await put(updater, "off")).toBe(200);
    expect(await put(updater, "plan")).toBe(404);
    expect(await put(deployer, "plan")).toBe(200);
    // It is so already.
    expect(await put(updater, "plan")).toBe(200);
    expect(await put(deployer, "auto")).toBe(404);
    expect(await put(confirmer, "auto")).toBe(200);
    expect(await put(updater, "off")).toBe(200);
  });

  test("is checked when somebody asks, also without a policy; one at a time", async ({ world, api }) => {
    const stack = await world.applied();
    const asked = await world.call("POST", `${stack.path}/check`);
    expect([asked.status, asked.body.next_check_at]).toEqual([202, expect.any(String)]);
    await world.step();
    const { check_id } = await world.row(stack.stackKey);
    expect((await world.call("POST", `${stack.path}/check`)).body.running_deployment_id).toBe(check_id);
    await world.run(check_id, refreshed());
    expect(await world.step()).toMatchObject({ stacks: 0, nextMs: null });
    expect((await world.call("GET", stack.path)).body).toMatchObject({ status: "none", next_check_at: null });
    const [entry] = await api.database.sql`
      select action, resource_id from audit_log where org_id = ${world.orgId} and action = 'drift_check.request' limit 1`;
    expect(entry).toMatchObject({ resource_id: stack.slug });
  });

  test("is checked when somebody asks, also while what counts is still to be worked out", async ({ world }) => {
    const stack = await world.applied();
    await world.call("PUT", stack.path, { interval: "P1D" });
    await world.call("POST", `${stack.path}/check`);
    await world.step();
    expect(await world.row(stack.stackKey)).toMatchObject({ check_phase: "running", asked: false });
  });

  test("on which nothing was applied has nothing to check", async ({ world, api }) => {
    const stack = await world.applied();
    await api.database.sql`delete from deployments where stack_key = ${stack.stackKey}`;
    expect((await world.call("POST", `${stack.path}/check`)).status).toBe(409);
  });

  test("can be deleted while it is checked", async ({ world }) => {
    const stack = await world.applied();
    await world.call("PUT", stack.path, { interval: "P1D" });
    const id = await world.checking(stack.stackKey);
    await world.run(await create(world.service, stack.stackKey), { status: "success", plan_summary: SETTLED });
    expect((await world.call("DELETE", `/stacks/${stack.slug}`)).status).toBe(204);
    expect(await world.step()).toMatchObject({ stacks: 0, running: 0, nextMs: null });
    expect((await world.deployments(stack.stackKey)).find((one) => one.id === id)?.status).toBe("cancelled");
  });
});

describe("a schedule", () => {
  const schedule = (name: string, selector: object, policy: object = { interval: "P1D" }) => ({
    name,
    selector,
    policy,
  });

  test("is one of two hundred at most", async ({ world, api }) => {
    await api.database.sql`insert into drift_schedules (org_id, name, selector, policy)
      select ${world.orgId}, 'n' || n, '{}', '{}' from generate_series(1, 200) n`;
    expect((await world.call("POST", "/drift-schedules", schedule("more", {}))).status).toBe(409);
  });

  test("has the stacks checked that its selector fits, also those that come later", async ({ world, api }) => {
    const before = await world.applied({ env: "prod" });
    const other = await world.applied({ env: "dev" });
    const made = await world.call("POST", "/drift-schedules", schedule("prod", { env: "prod" }));
    expect(made.status).toBe(201);
    const after = await world.applied({ env: "prod" });
    await world.step();
    const effective = async (stack: { path: string }) => (await world.call("GET", stack.path)).body;
    for (const stack of [before, after])
      expect(await effective(stack)).toMatchObject({ effective: DAILY, policy: null, schedule: { name: "prod" } });
    expect((await effective(other)).effective).toBeNull();
    await api.database.sql`update stacks set labels = '{"env": "prod"}' where stack_key = ${other.stackKey}`;
    await world.step();
    expect((await effective(other)).schedule).toMatchObject({ id: made.body.id });
    expect((await world.call("DELETE", `/drift-schedules/${made.body.id}`)).status).toBe(204);
    expect(await world.step()).toMatchObject({ stacks: 0, nextMs: null });
    expect((await effective(before)).effective).toBeNull();
  });

  test("with more labels goes before others, the stack's own policy before all, and one that is off keeps it from them", async ({
    world,
  }) => {
    const stack = await world.applied({ env: "prod", tier: "db" });
    const general = await world.call("POST", "/drift-schedules", schedule("all", {}));
    const special = await world.call(
      "POST",
      "/drift-schedules",
      schedule("db", { env: "prod", tier: "db" }, { interval: "PT6H" }),
    );
    const counts = async () => {
      await world.step();
      return (await world.call("GET", stack.path)).body;
    };
    expect(await counts()).toMatchObject({ effective: { interval: "PT6H" }, schedule: { name: "db" } });
    await world.call("PUT", stack.path, { interval: "PT1H" });
    expect(await counts()).toMatchObject({ effective: { interval: "PT1H" }, schedule: null });
    await world.call("DELETE", stack.path);
    const path = `/drift-schedules/${special.body.id}`;
    await world.call("PUT", path, schedule("db", { env: "prod", tier: "db" }, { interval: "PT6H", enabled: false }));
    expect(await counts()).toMatchObject({ effective: null, schedule: { name: "db" } });
    await world.call("DELETE", path);
    expect(await counts()).toMatchObject({ effective: DAILY, schedule: { id: general.body.id } });
  });

  test("is listed and read, has one name, and a write that changes nothing leaves no trace", async ({ world, api }) => {
    const made = await world.call(
      "POST",
      "/drift-schedules",
      schedule("nightly", { env: "prod" }, { cron: "0 3 * * *" }),
    );
    expect((await world.call("POST", "/drift-schedules", schedule("nightly", {}))).status).toBe(409);
    expect((await world.call("GET", "/drift-schedules")).body.items).toEqual([made.body]);
    const path = `/drift-schedules/${made.body.id}`;
    expect((await world.call("GET", path)).body).toEqual(made.body);
    const entries = async () =>
      (
        await api.database
          .sql`select 1 from audit_log where org_id = ${world.orgId} and resource_type = 'drift_schedule'`
      ).length;
    expect(await entries()).toBe(1);
    const { name, selector, policy } = made.body;
    expect((await world.call("PUT", path, { name, selector, policy })).body).toEqual(made.body);
    expect(await entries()).toBe(1);
  });

  test("that has drift mended by itself needs that on stacks without a pattern", async ({ world }) => {
    const family = await world.account(["drift_schedule", "create"]);
    const deployer = await world.account(["drift_schedule", "create"], ["stack", "deploy"]);
    const body = schedule("mends", {}, { interval: "P1D", reconcile: "plan" });
    expect((await world.call("POST", "/drift-schedules", body, family.token)).status).toBe(403);
    expect((await world.call("POST", "/drift-schedules", body, deployer.token)).status).toBe(201);
  });
});

test("all stacks that the caller may read are listed, by status and label", async ({ world, api }) => {
  const [fine, drifted] = [await world.applied({ env: "prod" }), await world.applied({ env: "dev" })];
  for (const { path } of [fine, drifted]) await world.call("PUT", path, { interval: "P1D" });
  await world.check(fine.stackKey, refreshed());
  await world.check(drifted.stackKey, refreshed("a.x"));
  const listed = async (query = "", by?: string) =>
    (await world.call("GET", `/drift${query}`, undefined, by)).body.items.map(
      ({ stack_id }: { stack_id: string }) => stack_id,
    );
  expect((await listed()).sort()).toEqual([fine.slug, drifted.slug].sort());
  expect(await listed("?status=drifted,failed")).toEqual([drifted.slug]);
  expect(await listed("?labels=env=prod")).toEqual([fine.slug]);
  expect((await listed("?sort=name&limit=1")).length).toBe(1);
  const [stack] = await api.database.sql`select name from stacks where stack_key = ${fine.stackKey}`;
  const one = await api.makeAccount(world.orgId, [["stack", "read", { pattern: stack?.name }]]);
  expect(await listed("", one.token)).toEqual([fine.slug]);
  const overview = await world.call("GET", "/overview");
  expect(overview.body).toMatchObject({ failed_24h: 0, drifted_stacks: 1 });
});
