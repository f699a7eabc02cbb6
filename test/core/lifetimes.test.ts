/** Stacks for a while on real Postgres and over the API (docs/schedules.md#stacks-for-a-while). */
import { describe, expect } from "vitest";
import { create, decide, makeOrg, makeStack } from "../support/fixtures.ts";
import { DESTROYS, SETTLED, schedulesWorld } from "../support/schedulesTest.ts";
import { peopleTest } from "../support/test.ts";

const test = peopleTest().extend("world", async ({ api }) => {
  const { database, service } = api;
  const { sql } = database;
  const org = await makeOrg(database);
  const schedules = schedulesWorld(database, service, org);
  const { token, id: account } = await api.makeAccount(org.orgId, [["*", "*"]]);
  const call = (method: string, path: string, body?: unknown, by = token) =>
    api.call(method, `/api/v1/orgs/${org.orgId}${path}`, { token: by, ...(body !== undefined && { body }) });
  const world = {
    ...schedules,
    orgId: org.orgId,
    account,
    call,
    accountWith: (...pairs: [string, string][]) => api.makeAccount(org.orgId, pairs),
    lifetime: async (stackKey: string) =>
      (
        await sql`select l.*, s.expires_at, s.deleted_at from stacks s left join stack_lifetimes l on l.stack_key = s.stack_key
        where s.stack_key = ${stackKey}`
      )[0]!,
    /** A stack, applied unless told otherwise, that ends in a week. */
    async stack({ applied = true, ...settings }: Record<string, unknown> & { applied?: boolean } = {}) {
      const stackKey = await makeStack(database, org.orgId, settings);
      if (applied) await schedules.run(await create(service, stackKey), SETTLED);
      const [row] = await sql`select slug from stacks where stack_key = ${stackKey}`;
      const path = `/stacks/${row?.slug}/lifetime`;
      const body = { expires_at: new Date(Date.now() + 7 * 86_400_000).toISOString(), reason: "for the demo" };
      const set = await call("PUT", path, body);
      expect([set.status, set.text]).toEqual([200, expect.any(String)]);
      return { stackKey, path, slug: row?.slug as string };
    },
    /** As if so much time had passed. */
    async later(stackKey: string, by: string) {
      await sql`update stacks set expires_at = expires_at - ${by}::interval where stack_key = ${stackKey}`;
      await sql`update stack_lifetimes set due_at = svc_now() where stack_key = ${stackKey}`;
      return schedules.step();
    },
    /** Its time has come: the destroy that was made. */
    async expired(stackKey: string): Promise<string> {
      await world.later(stackKey, "8 days");
      const { destroy_id, phase, put_off } = await world.lifetime(stackKey);
      expect([phase, put_off]).toEqual(["destroying", null]);
      return destroy_id;
    },
    /** A destroy to its end: planned, applied without another question, done. */
    async destroyed(id: string) {
      await schedules.run(id, DESTROYS, true);
      await schedules.run(id, { status: "success" });
    },
  };
  return world;
});

describe("a stack for a while", () => {
  test("is reminded of, destroyed and deleted, each with its reason", async ({ world, api }) => {
    const { stackKey, path, slug } = await world.stack({ auto_approve_mode: "manual" });
    expect(await world.step()).toMatchObject({ lifetimes: 1 });
    expect((await world.call("GET", `/stacks/${slug}`)).body.expires_at).toMatch(/Z$/);
    expect((await world.call("GET", path)).body).toMatchObject({
      phase: "alive",
      remind_before: "P1D",
      reason: "for the demo",
      set_by: world.account,
      reminded_at: null,
    });
    expect(await world.news(stackKey)).toEqual([]);
    await world.later(stackKey, "6 days 1 hour");
    await world.step();
    expect((await world.call("GET", path)).body).toMatchObject({ phase: "alive", reminded_at: expect.any(String) });
    const id = await world.expired(stackKey);
    const [applied, destroy] = await world.deployments(stackKey);
    expect(destroy).toMatchObject({ id, mode: "destroy", origin_type: "lifetime", commit_sha: applied?.commit_sha });
    await world.destroyed(id);
    await world.step();
    const { deleted_at, phase } = await world.lifetime(stackKey);
    expect([deleted_at, phase]).toEqual([expect.any(Date), null]);
    const news = await world.news(stackKey);
    expect(news.map(({ name, actor_id }) => [name, actor_id])).toEqual([
      ["stack_expiring", null],
      ["stack_deleted", world.account],
    ]);
    expect(news[0]?.data).toMatchObject({ reason: "for the demo", expires_at: expect.any(String) });
    expect(news[1]?.data).toMatchObject({ why: "lifetime", reason: "for the demo", destroy_deployment_id: id });
    const events = await api.database
      .sql`select details from deployment_events where deployment_id = ${id} and kind = 'created'`;
    expect(events[0]?.details).toMatchObject({ reason: "for the demo" });
    expect(await world.step()).toMatchObject({ lifetimes: 0, nextMs: null });
  });

  test("on which nothing was ever done is deleted at once", async ({ world }) => {
    const { stackKey } = await world.stack({ applied: false });
    await world.later(stackKey, "8 days");
    expect((await world.lifetime(stackKey)).deleted_at).not.toBeNull();
    expect(await world.deployments(stackKey)).toEqual([]);
  });

  test("whose only apply failed may have left something, and is destroyed", async ({ world, api }) => {
    const { stackKey } = await world.stack({ applied: false, auto_approve_mode: "auto" });
    const id = await create(api.service, stackKey);
    await world.run(id, DESTROYS, true);
    await world.run(id, { status: "failure", error: "quota" });
    await world.expired(stackKey);
  });

  test("that runs a promoted fork's head is destroyed with its own access, without another question", async ({
    world,
    api,
  }) => {
    const { stackKey } = await world.stack({ applied: false });
    const promoted = { originType: "promoted_pull_request", provenance: "fork" } as const;
    await world.run(await create(api.service, stackKey, promoted), SETTLED);
    const id = await world.expired(stackKey);
    expect((await world.deployments(stackKey)).at(-1)).toMatchObject({ id, provenance: "promoted" });
    await world.destroyed(id);
    await world.step();
    expect((await world.lifetime(stackKey)).deleted_at).not.toBeNull();
  });

  test("stays when its destroy fails, which is told; a person's destroy is what it waited for", async ({
    world,
    api,
  }) => {
    const { stackKey, path, slug } = await world.stack();
    await world.run(await world.expired(stackKey), { status: "failure", error: "a bucket is not empty" });
    await world.step();
    expect((await world.call("GET", path)).body).toMatchObject({
      phase: "failed",
      error: "a bucket is not empty",
      next_at: null,
    });
    expect((await world.news(stackKey)).map(({ name, data }) => [name, data.error])).toEqual([
      ["stack_expiry_failed", "a bucket is not empty"],
    ]);
    await world.step();
    expect((await world.call("GET", `/stacks/${slug}`)).status).toBe(200);
    // Not a slip of the finger.
    await api.database
      .sql`update deployments set created_at = created_at - interval '10 seconds' where stack_key = ${stackKey}`;
    // Not by itself: nothing of a lifetime is in a retry.
    const retried = await world.call(
      "POST",
      `/stacks/${slug}/deployments/${(await world.lifetime(stackKey)).destroy_id}/retry`,
    );
    expect(retried.body).toMatchObject({ mode: "destroy", origin_type: "manual" });
    await world.run(retried.body.id, DESTROYS, true);
    expect((await world.call("GET", `/stacks/${slug}/deployments/${retried.body.id}`)).body.status).toBe("waiting");
    await decide(api.service, api.database, retried.body.id, "confirm", { action: "apply" } as never);
    await world.run(retried.body.id, { status: "success" });
    await world.step();
    expect((await world.lifetime(stackKey)).deleted_at).not.toBeNull();
  });

  test("on which something was applied after the destroy stays", async ({ world, api }) => {
    const { stackKey, path } = await world.stack();
    const id = await world.expired(stackKey);
    const next = await create(api.service, stackKey);
    await world.destroyed(id);
    await world.run(next, SETTLED);
    await world.step();
    expect((await world.call("GET", path)).body).toMatchObject({
      phase: "failed",
      error: "Something was applied after the destroy.",
    });
  });

  test("whose state still holds resources stays", async ({ world, api }) => {
    const { stackKey, path } = await world.stack();
    const { sql } = api.database;
    const version = "01890000-0000-7000-8000-0000000000aa";
    await sql`insert into state_versions (id, org_id, stack_key, object_key, origin, number, serial, lineage, size, sha256, resources)
      values (${version}, ${world.orgId}, ${stackKey}, 'k', 'push', 1, 1, 'l', 1, ${"ab".repeat(32)}, 3)`;
    await sql`insert into stack_states (stack_key, org_id, version_id, last_number) values (${stackKey}, ${world.orgId}, ${version}, 1)`;
    await world.destroyed(await world.expired(stackKey));
    await world.step();
    expect((await world.call("GET", path)).body).toMatchObject({
      phase: "failed",
      error: expect.stringContaining("still holds resources"),
    });
  });

  test("on hold waits for its release, and says so", async ({ world, api }) => {
    const { stackKey, path } = await world.stack();
    await api.database.sql`update stacks set held_at = svc_now(), held_by = 'x' where stack_key = ${stackKey}`;
    await world.later(stackKey, "8 days");
    expect((await world.call("GET", path)).body).toMatchObject({
      phase: "alive",
      put_off: "held",
      next_at: expect.any(String),
    });
    await api.database.sql`update stacks set held_at = null, held_by = null where stack_key = ${stackKey}`;
    await world.expired(stackKey);
  });
});

describe("a lifetime", () => {
  test("is prolonged with a reason, from its end or from now, and never made shorter so", async ({ world, api }) => {
    const { stackKey, path, slug } = await world.stack();
    await world.later(stackKey, "6 days 12 hours");
    const before = (await world.call("GET", path)).body;
    const longer = await world.call("PATCH", path, { extend_by: "P2D", reason: "the customer is late" });
    expect(Date.parse(longer.body.expires_at) - Date.parse(before.expires_at)).toBe(2 * 86_400_000);
    expect(longer.body).toMatchObject({ reason: "the customer is late", reminded_at: null, phase: "alive" });
    const sooner = new Date(Date.now() + 60_000).toISOString();
    expect((await world.call("PATCH", path, { expires_at: sooner, reason: "x" })).status).toBe(422);
    expect((await world.call("PATCH", path, { expires_at: sooner, extend_by: "P1D", reason: "x" })).status).toBe(422);
    expect((await world.call("PATCH", path, { extend_by: "P1D" })).status).toBe(422);
    const late = await world.stack();
    await world.call("PUT", late.path, { expires_at: "9999-12-30T00:00:00Z", reason: "x" });
    const latest = await world.call("PATCH", late.path, { extend_by: "P3650D", reason: "x" });
    expect([latest.status, latest.body.expires_at]).toEqual([200, "9999-12-31T23:59:59Z"]);
    const id = await world.expired(stackKey);
    const refused = await world.call("PATCH", path, { extend_by: "P1D", reason: "x" });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining(id)]);
    await decide(api.service, api.database, id, "cancel");
    await world.step();
    expect((await world.call("GET", path)).body).toMatchObject({
      phase: "failed",
      error: "The destroy was cancelled.",
    });
    // Another destroy would follow, so that whoever may only change the stack cannot ask for it.
    const { token } = await world.accountWith(["stack", "update"]);
    expect((await world.call("PATCH", path, { extend_by: "PT1S", reason: "x" }, token)).status).toBe(404);
    const again = await world.call("PATCH", path, { extend_by: "P1D", reason: "still needed" });
    expect(Date.parse(again.body.expires_at)).toBeGreaterThan(Date.now() + 86_000_000);
    expect(again.body).toMatchObject({ phase: "alive", destroy_deployment_id: null });
    const entries = await api.database.sql`
      select details ->> 'reason' as reason from audit_log where org_id = ${world.orgId} and action = 'stack_lifetime.update' and resource_id = ${slug} order by id`;
    expect(entries.map(({ reason }) => reason)).toEqual(["for the demo", "the customer is late", "still needed"]);
  });

  test("is taken away, and the stack stays", async ({ world }) => {
    const { path, slug } = await world.stack();
    expect((await world.call("DELETE", path)).status).toBe(204);
    expect((await world.call("GET", path)).body).toMatchObject({ expires_at: null, phase: null });
    expect((await world.call("GET", `/stacks/${slug}`)).body.expires_at).toBeNull();
    expect((await world.call("PATCH", path, { extend_by: "P1D", reason: "x" })).status).toBe(409);
    expect((await world.call("DELETE", path)).status).toBe(204);
    expect(await world.step()).toMatchObject({ nextMs: null });
  });

  test("needs what its end needs by hand; to prolong it needs less", async ({ world }) => {
    const { path } = await world.stack();
    const body = { expires_at: new Date(Date.now() + 86_400_000).toISOString(), reason: "x" };
    const all = ["update", "deploy", "confirm", "delete"] as const;
    for (const missing of all) {
      const { token } = await world.accountWith(
        ...all.filter((action) => action !== missing).map((action): [string, string] => ["stack", action]),
      );
      expect([missing, (await world.call("PUT", path, body, token)).status]).toEqual([missing, 404]);
    }
    const { token } = await world.accountWith(["stack", "update"]);
    expect((await world.call("PATCH", path, { extend_by: "P1D", reason: "x" }, token)).status).toBe(200);
    expect((await world.call("PUT", path, { ...body, expires_at: "2020-01-01T00:00:00Z" })).status).toBe(422);
  });
});
