/** A push whose host fails loses nothing (docs/rules/source-control.md#pushes). */
import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import type { AuthConfig } from "../../src/exchange/scm/authConfig.ts";
import { retryEvent } from "../../src/exchange/scm/events.ts";
import { test } from "../support/pushSyncTest.ts";
import { makeIntegration, POLICY } from "../support/scm.ts";
import { APP_ID, type HostReply, INSTALLATION } from "../support/scriptedHost.ts";

describe("a host that fails", () => {
  test.for<[string, HostReply, string]>([
    [
      "answers 500",
      { status: 500, body: { message: "https://x-access-token:SECRET@host.example" } },
      "could not be reached",
    ],
    ["hangs", "hang" as const, "could not be reached"],
    ["answers nonsense", { status: 200, body: { status: "sideways", files: [] } }, "could not be understood"],
    ["refuses", { status: 403, body: {} }, "refused"],
    ["has moved the repository", { status: 301, headers: { location: "http://127.0.0.1:1/" } }, "has moved"],
  ])("on compare: one that %s fails the event for a later try, which succeeds", async ([_, reply, text], { world }) => {
    const { database, host, now, stack, process, pushed, events, commits } = world;
    const [network, app] = [await stack("network"), await stack("app")];
    const before = (await host.head("main")) as string;
    const after = await host.commit({ "network/main.tf": randomUUID() });
    host.script = ({ path }) => (path.includes("/compare/") ? reply : undefined);
    const { open, nextMs } = await pushed(before, after);
    expect(open).toBe(1);
    expect(nextMs).toBeGreaterThan(0);
    const [failed] = await events();
    expect(failed).toMatchObject({ status: "failed", attempts: 1 });
    expect(failed?.last_error).toContain(text);
    expect(failed?.last_error).not.toMatch(/SECRET|http:|https:|token/i);
    expect(await commits(network)).toEqual([]);
    host.script = () => undefined;
    await database.sql`update scm_events set due_at = svc_now() where integration_id = ${now.integration.id}`;
    expect(await process()).toEqual({ open: 0, nextMs: null });
    expect([await commits(network), await commits(app)]).toEqual([[after], []]);
  });

  test("is given up after the last try, with one scm_sync_failed, and can be tried again", async ({ world }) => {
    const { database, host, orgId, now, first, stack, arrive, process, events, commits } = world;
    const network = await stack("network");
    const after = await host.commit({ "network/main.tf": randomUUID() });
    host.script = ({ path }) => (path.includes("/branches/") ? { status: 503 } : undefined);
    await arrive(first, after);
    for (let i = 0; i < POLICY.maxAttempts; i++) {
      await database.sql`update scm_events set due_at = svc_now() where integration_id = ${now.integration.id}`;
      await process();
    }
    expect(await events()).toMatchObject([{ status: "dead", attempts: POLICY.maxAttempts }]);
    expect(await process()).toEqual({ open: 0, nextMs: null });
    const told =
      await database.sql`select stack_key, data from domain_events where org_id = ${orgId} and name = 'scm_sync_failed'`;
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({
      stack_key: null,
      data: {
        inbox_event_type: "push_branch_changed",
        base_branch: "main",
        pr_number: null,
        attempt_count: POLICY.maxAttempts,
      },
    });
    expect(await commits(network)).toEqual([]);
  });

  test("by hiding the repository, as from an app that was taken away, loses no push", async ({ world }) => {
    const { database, host, hosts, service, orgId, now, first, stack, arrive, process, events, commits } = world;
    const network = await stack("network");
    const auth: AuthConfig = { kind: "app", app_id: APP_ID, private_key: host.appKey };
    await database.sql`delete from scm_integrations where org_id = ${orgId}`;
    now.integration = await makeIntegration(database, hosts.keyring, orgId, host, { auth });
    const after = await host.commit({ "network/main.tf": randomUUID() });
    host.installation = null;
    await arrive(first, after);
    for (let i = 0; i < POLICY.maxAttempts; i++) {
      await database.sql`update scm_events set due_at = svc_now() where integration_id = ${now.integration.id}`;
      await process();
    }
    expect(await events()).toMatchObject([{ status: "dead", last_error: expect.stringContaining("not installed") }]);
    const told =
      await database.sql`select data from domain_events where org_id = ${orgId} and name = 'scm_sync_failed'`;
    expect(told.map(({ data }) => data.last_error)).toEqual([expect.stringContaining(now.integration.name)]);
    host.installation = INSTALLATION;
    const [dead] = await database.sql`select id from scm_events where integration_id = ${now.integration.id}`;
    await retryEvent(service, { id: "ann", kind: "user" }, dead?.id);
    expect(await process()).toEqual({ open: 0, nextMs: null });
    expect(await commits(network)).toEqual([after]);
  });

  test("by showing the credentials nothing of the repository is no word about its branch", async ({ world }) => {
    const { host, first, stack, pushed, events } = world;
    await stack("network");
    host.script = () => ({ status: 404, body: { message: "Not Found" } });
    await pushed(first, (await host.head("main")) as string);
    expect(await events()).toMatchObject([{ status: "failed", last_error: expect.stringContaining("hides") }]);
  });

  test.for<[string, HostReply, number]>([
    ["Retry-After", { status: 429, headers: { "retry-after": "90" } }, 90_000],
    [
      "a spent budget",
      {
        status: 403,
        headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(Math.ceil(Date.now() / 1000) + 300) },
      },
      280_000,
    ],
  ])("and says when to come again (%s) is not asked before", async ([_, reply, least], { world }) => {
    const { host, first, stack, pushed, events } = world;
    await stack("network");
    host.script = ({ path }) => (path.includes("/branches/") ? reply : undefined);
    const { nextMs } = await pushed(first, (await host.head("main")) as string);
    expect(nextMs).toBeGreaterThan(least - 20_000);
    expect((await events())[0]?.last_error).toContain("left alone");
  });

  test("by being behind the delivery gets one more chance", async ({ world }) => {
    const { database, host, now, stack, process, pushed, events, commits } = world;
    const network = await stack("network");
    const old = (await host.head("main")) as string;
    const after = await host.commit({ "network/main.tf": randomUUID() }, { branch: "elsewhere", from: "main" });
    await pushed(old, after);
    expect(await events()).toMatchObject([{ status: "failed", attempts: 1 }]);
    await host.reset("main", after);
    await database.sql`update scm_events set due_at = svc_now() where integration_id = ${now.integration.id}`;
    await process();
    expect(await commits(network)).toEqual([after]);
  });
});
