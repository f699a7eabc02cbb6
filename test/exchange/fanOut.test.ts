/** Who an event is delivered to. */
import { describe, expect } from "vitest";
import { fanOut } from "../../src/exchange/notifications/fanOut.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { SCHEDULE, test } from "../support/deliveriesTest.ts";
import { create, makeStack } from "../support/fixtures.ts";
import { makeNotifier, startNotifier } from "../support/notifications.ts";

test.beforeAll(async ({ core, temporal, api, hosts }) => {
  await core.startWorker();
  await startNotifier(temporal, api.database, hosts, { schedule: SCHEDULE });
});

test.afterEach(({ target }) => target.stop());

describe("fan-out", () => {
  test("goes to those who ask for the event and whose selector the stack's labels contain", async ({
    core,
    api,
    target,
    orgId,
    world,
  }) => {
    await core.relay.close();
    const all = await world.notifier();
    const other = await world.notifier({ events: ["stack_deleted"] });
    const off = await world.notifier({ enabled: false });
    const prod = await world.notifier({ stack_label_selector: { env: "prod" } });
    const both = await world.notifier({ stack_label_selector: { env: "prod", team: "net" } });
    const elsewhere = await makeNotifier(api.database, api.keyring, await api.makeOrg(), { url: target.url });
    const stackKey = await makeStack(api.database, orgId, { labels: { env: "prod", x: "y" } });
    const got = await world.made(await world.store("stack_created", { stackKey }));
    expect(got).toEqual([all, prod].sort());
    for (const id of [other, off, both, elsewhere]) expect(got).not.toContain(id);
    expect(await world.made(await world.store("stack_deleted", { stackKey }))).toEqual([all, other, prod].sort());
    // Without a stack no selector but the empty one matches.
    expect(await world.made(await world.store("scm_sync_failed"))).toEqual([all]);
  });

  test("with changes_only skips plans that change nothing, not those that could not be measured", async ({
    api,
    orgId,
    world,
  }) => {
    const all = await world.notifier();
    const changes = await world.notifier({ changes_only: true });
    const { sql } = api.database;
    const stackKey = await makeStack(api.database, orgId);
    const deployment = async (summary: object | null) => {
      const id = await create(api.service, stackKey, { mode: "plan_unlocked" });
      if (summary !== null)
        await sql`update runs set plan_summary = ${sql.json(summary as never)} where deployment_id = ${id}`;
      return id;
    };
    const counts = { add: 0, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };
    const told = async (summary: object | null) =>
      world.made(await world.store("preview_ready", { stackKey, deploymentId: await deployment(summary) }));
    expect(await told({ has_changes: false, counts, gaps: [] })).toEqual([all]);
    expect(await told({ has_changes: true, counts, gaps: [] })).toEqual([all, changes].sort());
    expect(await told({ has_changes: true, counts: null, gaps: ["x"] })).toEqual([all, changes].sort());
    expect(await told(null)).toEqual([all, changes].sort());
    expect(await world.made(await world.store("stack_created", { stackKey }))).toEqual([all, changes].sort());
  });

  test("tells nothing of a plan that came after it", async ({ api, orgId, world }) => {
    await world.notifier({ events: ["deployment_waiting_for_confirmation"] });
    const { sql } = api.database;
    const stackKey = await makeStack(api.database, orgId);
    const deploymentId = await create(api.service, stackKey, { mode: "plan_unlocked" });
    const counts = { add: 1, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };
    const summary = { has_changes: true, counts, gaps: [] };
    await sql`update runs set plan_summary = ${sql.json(summary)} where deployment_id = ${deploymentId}`;
    const told = async () => {
      await world.made(await world.store("deployment_waiting_for_confirmation", { stackKey, deploymentId }));
      return (await world.rows()).map(({ body }) => JSON.parse(body).deployment.plan_summary);
    };
    expect(await told()).toEqual([summary]);
    await sql`update runs set created_at = svc_now() + interval '1 minute' where deployment_id = ${deploymentId}`;
    expect(await told()).toEqual([summary, undefined]);
  });

  test("that is repeated, also at once, makes no delivery twice, even after the first was taken", async ({
    api,
    world,
  }) => {
    await world.notifier();
    const event = await world.store("scm_sync_failed");
    const counts = await Promise.all(Array.from({ length: 5 }, () => fanOut(api.service, undefined, event)));
    expect(counts.sort()).toEqual([0, 0, 0, 0, 1]);
    await api.database.sql`delete from notification_deliveries where domain_event_id = ${event}`;
    expect(await fanOut(api.service, undefined, event)).toBe(0);
  });

  test("names in a chat the account that acted, else the one that asked for the deployment", async ({
    core,
    api,
    orgId,
    world,
  }) => {
    await world.notifier({ events: ["deployment_failed", "deployment_cancelled"], provider_type: "chat" });
    const stackKey = await makeStack(api.database, orgId);
    const [account] = await api.database.sql`
      insert into service_accounts (org_id, name) values (${orgId}, 'nightly') returning id`;
    const actor = { id: account?.id as string, kind: "service_account" } as const;
    const deploymentId = await create(core.service, stackKey, { actor });
    await world.made(await world.store("deployment_failed", { stackKey, deploymentId }));
    await world.made(await world.store("deployment_cancelled", { stackKey, deploymentId, actor }));
    const bodies = (await world.rows()).map(({ body }) => JSON.parse(body).text);
    expect(bodies).toEqual([0, 1].map(() => expect.stringContaining("by service account nightly")));
  });

  test("costs an organization without integrations no message and no statement of its own", async ({
    api,
    orgId,
    world,
  }) => {
    const stackKey = await makeStack(api.database, orgId);
    const { statements } = await countStatements(() => world.store("stack_synced", { stackKey }));
    expect(statements).toHaveLength(2);
    const messages = () => api.database.sql`select 1 from outbox where message ->> 'orgId' = ${orgId}`;
    expect(await messages()).toEqual([]);
    await world.notifier({ events: ["scm_sync_failed"] });
    await world.store("stack_synced", { stackKey });
    expect(await messages()).toEqual([]);
    await world.store("scm_sync_failed");
    expect(await messages()).toHaveLength(1);
  });

  test("is three statements for one integration and for fifty", async ({ api, world }) => {
    const events = [];
    await world.notifier();
    events.push(await world.store("scm_sync_failed"));
    for (let i = 0; i < 49; i++) await world.notifier();
    events.push(await world.store("scm_sync_failed"));
    for (const event of events) {
      const { statements } = await countStatements(() => fanOut(api.service, undefined, event));
      expect(statements).toHaveLength(3);
    }
    expect(await world.recipients(events[1] as string)).toHaveLength(50);
  });

  test("remembers for each integration which findings it was told", async ({ api, world }) => {
    const early = await world.notifier();
    const report = (cycles: number) => ({
      cycles,
      orphans: 0,
      duplicates: 0,
      cycles_complete: true,
      orphans_complete: true,
    });
    const findings = async (cycles: number, integration: string) => {
      const event = await world.store("explore_findings_changed", { data: { current: report(cycles) } });
      await fanOut(api.service, undefined, event);
      const bodies = await api.database.sql`
        select integration_id, body from notification_deliveries where domain_event_id = ${event}`;
      return JSON.parse(bodies.find((row) => row.integration_id === integration)?.body).findings;
    };
    expect(await findings(1, early)).toEqual({ current: report(1) });
    const late = await world.notifier();
    expect(await findings(2, early)).toEqual({ current: report(2), previous: report(1) });
    expect(await findings(3, late)).toEqual({ current: report(3), previous: report(2) });
  });
});
