/** Deliveries that wait: replayed, listed, ended, healed, and none delayed by another's target. */
import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { reconcile } from "../../src/orchestration/reconciler/reconcile.ts";
import { SCHEDULE, test } from "../support/deliveriesTest.ts";
import { makeStack } from "../support/fixtures.ts";
import { startNotifier } from "../support/notifications.ts";
import { NotificationTarget } from "../support/notificationTarget.ts";
import { waitFor } from "../support/waitFor.ts";

test.beforeAll(async ({ core, temporal, api, hosts }) => {
  await core.startWorker();
  await startNotifier(temporal, api.database, hosts, { schedule: SCHEDULE });
});

test.afterEach(({ target }) => target.stop());

describe("what waits for its next attempt", () => {
  test("ends with its integration", async ({ target, world }) => {
    const { id, integration } = await world.waiting();
    expect((await world.people("DELETE", `/notification-integrations/${integration}`)).status).toBe(204);
    await world.ended(id);
    expect(await world.rows()).toEqual([]);
    expect(target.received).toHaveLength(1);
  });

  test("is given up when its integration is disabled, and can be retried when that is enabled again", async ({
    target,
    world,
  }) => {
    const { id, integration } = await world.waiting();
    const put = (enabled: boolean) =>
      world.people("PUT", `/notification-integrations/${integration}`, {
        name: `n-${integration}`,
        events: ["scm_sync_failed"],
        enabled,
      });
    expect((await put(false)).status).toBe(200);
    await world.ended(id);
    expect(await world.becomes("dead")).toMatchObject({ last_error: "the integration is disabled" });
    expect((await world.people("POST", `/notification-deliveries/${id}/retry`)).status).toBe(409);
    await put(true);
    target.answer = () => ({ status: 200 });
    expect((await world.people("POST", `/notification-deliveries/${id}/retry`)).status).toBe(202);
    await world.none();
    expect(target.received).toHaveLength(2);
  });

  test("is sent now by a retry, which wakes its workflow", async ({ target, world }) => {
    const { id } = await world.waiting();
    const listed = (await world.people("GET", "/notification-deliveries")).body.items[0];
    expect(listed).toMatchObject({ id, status: "pending", next_attempt_at: expect.stringMatching(/Z$/) });
    target.answer = () => ({ status: 200 });
    expect((await world.people("POST", `/notification-deliveries/${id}/retry`)).status).toBe(202);
    await world.none();
    await world.ended(id);
  });
});

test("the list is paged and filtered, and another organization's deliveries are neither listed nor retried", async ({
  api,
  target,
  orgId,
  world,
}) => {
  const integration = await world.notifier();
  target.answer = () => ({ status: 410 });
  for (let i = 0; i < 4; i++) await world.tell();
  await world.tell("stack_created", { stackKey: await makeStack(api.database, orgId) });
  await waitFor(async () => (await world.rows()).filter(({ status }) => status === "dead").length === 5, {
    what: "5 dead",
  });
  const seen: string[] = [];
  for (let cursor = ""; cursor !== "end"; ) {
    const { body } = await world.people("GET", `/notification-deliveries?limit=2${cursor}`);
    seen.push(...body.items.map(({ id }: { id: string }) => id));
    cursor = body.next_cursor === null ? "end" : `&cursor=${body.next_cursor}`;
  }
  expect(new Set(seen).size).toBe(5);
  expect(seen).toHaveLength(5);
  const count = async (query: string) =>
    (await world.people("GET", `/notification-deliveries?${query}`)).body.items.length;
  expect(await count("event_type=stack_created")).toBe(1);
  expect(await count("status=pending")).toBe(0);
  expect(await count(`integration_id=${integration}`)).toBe(5);
  expect(await count(`integration_id=${randomUUID()}`)).toBe(0);
  const stranger = await api.makeAccount(await api.makeOrg(), [["*", "*"]]);
  const elsewhere = await api.call("POST", `/api/v1/orgs/${orgId}/notification-deliveries/${seen[0]}/retry`, {
    token: stranger.token,
  });
  expect(elsewhere.status).toBe(404);
});

test("a delivery whose workflow is missing is healed, and one whose row is gone is ended", async ({
  core,
  api,
  orgId,
  target,
  world,
}) => {
  const integration = await world.notifier();
  const id = randomUUID();
  await api.database.sql`
    insert into notification_deliveries (id, org_id, integration_id, domain_event_id, event_type, body)
    values (${id}, ${orgId}, ${integration}, ${randomUUID()}, 'scm_sync_failed', '{}')`;
  const healed: string[] = [];
  await reconcile(core.service, core.temporal, { healed: (workflow, action) => healed.push(`${workflow} ${action}`) });
  expect(healed).toContain("notification started");
  await world.arrived(1);
  await world.none();
  expect(target.received[0]).toMatchObject({ headers: { "x-svc-delivery": id }, body: "{}" });
});

test("a target that never answers holds back no other's notifications, nor does it lose its own place in line", async ({
  api,
  orgId,
  world,
}) => {
  const silent = await NotificationTarget.start();
  silent.answer = () => "hang";
  const stalled = await world.notifier({ events: ["stack_synced"] }, {}, silent);
  await world.notifier({ events: ["stack_created"] });
  const stackKey = await makeStack(api.database, orgId);
  for (let i = 0; i < 60; i++) await world.tell("stack_synced", { stackKey });
  await world.arrived(5, silent);
  for (let i = 0; i < 5; i++) {
    const began = performance.now();
    await world.tell("stack_created", { stackKey });
    await world.arrived(i + 1);
    // Behind the 60 it would be minutes.
    expect(performance.now() - began).toBeLessThan(20_000);
  }
  // No more than its share of the worker is taken by it.
  expect(silent.mostAtOnce).toBeLessThanOrEqual(5);
  expect((await world.rows()).filter((row) => row.integration_id === stalled)).toHaveLength(60);
  await api.database.sql`delete from notification_integrations where id = ${stalled}`;
  await silent.stop();
});
