/** Deliveries: tried again, given up, replayed, ended, healed, and none delayed by another's target. */
import { createHmac, randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fanOut } from "../../src/exchange/notifications/fanOut.ts";
import { reconcile } from "../../src/orchestration/reconciler/reconcile.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { workflowIds } from "../../workflows/ids.ts";
import { openCore, type TestCore } from "../support/core.ts";
import { create, makeStack } from "../support/fixtures.ts";
import { historyText, summaries } from "../support/histories.ts";
import { makeNotifier, startNotifier, tellEvent } from "../support/notifications.ts";
import { NotificationTarget } from "../support/notificationTarget.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { type TestHosts, testHosts } from "../support/scm.ts";
import { freshNamespace, type TestTemporal } from "../support/temporal.ts";
import { waitFor } from "../support/waitFor.ts";

const SCHEDULE = [100, 200, 300];

let api: PeopleApi;
let temporal: TestTemporal;
let hosts: TestHosts;
let core: TestCore;
let target: NotificationTarget;
let orgId: string;
let token: string;

beforeAll(async () => {
  [api, temporal] = await Promise.all([startPeopleApi(), freshNamespace()]);
  hosts = { ...testHosts(), keyring: api.keyring };
  core = openCore(api.database, temporal);
  await core.startWorker();
  await startNotifier(temporal, api.database, hosts, { schedule: SCHEDULE });
});
afterAll(async () => {
  await core.close();
  await temporal.close();
  await hosts.egress.close();
  await api.close();
});
beforeEach(async () => {
  target = await NotificationTarget.start();
  orgId = await api.makeOrg();
  ({ token } = await api.makeAccount(orgId, [["notification_integration", "*"]]));
});
afterEach(() => target.stop());

const notifier = (columns: object = {}, auth: object = {}, to = target) =>
  makeNotifier(api.database, api.keyring, orgId, { url: to.url, ...auth }, columns as Record<string, unknown>);
const tell = (name: Parameters<typeof tellEvent>[1]["name"] = "scm_sync_failed", more: object = {}) =>
  tellEvent(core.service, { orgId, name, ...more });
const arrived = (count: number, at = target) =>
  waitFor(() => at.received.length >= count, { what: `${count} requests`, timeoutMs: 20_000 });
const rows = (of = orgId) =>
  api.database.sql`select * from notification_deliveries where org_id = ${of} order by created_at, id`;
const becomes = (status: string) =>
  waitFor(async () => (await rows()).find((row) => row.status === status), {
    what: `a ${status} delivery`,
    timeoutMs: 20_000,
  });
const none = () => waitFor(async () => (await rows()).length === 0, { what: "no delivery left", timeoutMs: 20_000 });
const ended = (id: string) =>
  waitFor(async () => (await core.temporal.describe(workflowIds.notification(id)))?.open === false, {
    what: "the workflow to end",
  });
const people = (method: string, path: string, body?: object) =>
  api.call(method, `/api/v1/orgs/${orgId}${path}`, { token, ...(body && { body }) });

describe("a target", () => {
  it("gets the envelope with its headers and a signature over the raw body; the row is gone and the history holds only ids", async () => {
    await notifier({}, { secret: "s3cret", headers: { Authorization: "Bearer receiver" } });
    await tell("scm_sync_failed", { data: { repository_url: "https://git.example/r", last_error: "ünreachable" } });
    await arrived(1);
    const { headers, body } = target.received[0]!;
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "Svc-Notifications",
      "x-svc-event": "scm_sync_failed",
      "x-svc-signature-256": `sha256=${createHmac("sha256", "s3cret").update(body).digest("hex")}`,
      authorization: "Bearer receiver",
    });
    expect(Math.abs(Number(headers["x-svc-timestamp"]) - Date.now() / 1_000)).toBeLessThan(60);
    expect(JSON.parse(body).scm).toEqual({ repository_url: "https://git.example/r", last_error: "ünreachable" });
    await none();
    const id = headers["x-svc-delivery"] as string;
    await ended(id);
    expect(await historyText(temporal.client, workflowIds.notification(id))).not.toMatch(
      /s3cret|receiver|git\.example|secret-path|127\.0\.0\.1/,
    );
  });

  it("has a history that says in words what was told, and how each attempt went; a stack's day shows it", async () => {
    await notifier({ events: ["deployment_failed"] });
    const stackKey = await makeStack(api.database, orgId);
    const deploymentId = await create(core.service, stackKey);
    target.answer = () => ({ status: target.received.length < 2 ? 503 : 200 });
    await tell("deployment_failed", { stackKey, deploymentId });
    await arrived(2);
    const id = target.received[0]!.headers["x-svc-delivery"] as string;
    await ended(id);
    expect(await summaries(temporal.client, workflowIds.notification(id))).toEqual([
      "a notification of deployment_failed",
      "send what is due",
      "deployment_failed waits for its next attempt; 1 were made, at the last the target answered 503",
      "send what is due",
    ]);
    const handle = temporal.client.workflow.getHandle(workflowIds.notification(id));
    expect(await handle.result()).toEqual({ attempts: 2, event: "deployment_failed", outcome: "the target took it" });
    const described = await handle.describe();
    expect(described.searchAttributes).toMatchObject({ StackKey: [stackKey], DeploymentId: [deploymentId] });
    // Of a backlog each organization gets its turn.
    expect(described.priority?.fairnessKey).toBe(orgId);
  });

  it.each([
    ["429", { status: 429 }],
    ["500", { status: 500 }],
    ["a redirect", { status: 307, headers: { location: "/elsewhere" } }],
    ["a cut connection", "reset"],
  ] as const)("that answers %s first gets the same id and bytes again", async (_, reply) => {
    await notifier();
    target.answer = () => (target.received.length < 3 ? reply : { status: 200 });
    await tell();
    await arrived(3);
    await none();
    expect(new Set(target.received.map(({ headers, body }) => `${headers["x-svc-delivery"]} ${body}`)).size).toBe(1);
  });

  it("whose answer is large or cannot be decoded has taken it all the same", async () => {
    await notifier();
    target.answer = () => ({ status: 200, headers: { "content-encoding": "gzip" }, body: Buffer.alloc(3_000_000, 1) });
    await tell();
    await arrived(1);
    await none();
    expect(target.received).toHaveLength(1);
  });

  it("that never takes it leaves it dead after the schedule, listed with the reason", async () => {
    await notifier();
    target.answer = () => ({ status: 503 });
    await tell();
    const dead = await becomes("dead");
    expect(target.received).toHaveLength(SCHEDULE.length + 1);
    const { body } = await people("GET", "/notification-deliveries");
    expect(body.items).toMatchObject([
      {
        id: dead.id,
        status: "dead",
        attempts: 4,
        last_status: 503,
        last_error: "the target answered 503",
        next_attempt_at: null,
      },
    ]);
    await ended(dead.id);
  });

  it("that may not be called makes it dead at once, without a connection", async () => {
    const inside = await NotificationTarget.start("127.0.0.2");
    await notifier({}, {}, inside);
    await tell();
    expect(await becomes("dead")).toMatchObject({ attempts: 1, last_status: null });
    expect(inside.connections).toBe(0);
    await inside.stop();
  });
});

describe("Retry-After", () => {
  it.each([
    ["in seconds", () => "2"],
    ["as a date", () => new Date(Math.ceil((Date.now() + 2_000) / 1_000) * 1_000).toUTCString()],
  ])("%s is honoured: tried again, not dead, and not before", async (_, retryAfter) => {
    await notifier();
    let notBefore = 0;
    target.answer = ({ at }) => {
      if (target.received.length > 1) return { status: 200 };
      const value = retryAfter();
      notBefore = value === "2" ? at + 2_000 : Date.parse(value);
      return { status: 429, headers: { "retry-after": value } };
    };
    await tell();
    await arrived(2);
    await none();
    expect(target.received[1]!.at).toBeGreaterThanOrEqual(notBefore - 5);
    expect(target.received[1]!.at).toBeLessThan(notBefore + 10_000);
  });
});

it("401 is dead at once; after the repair a retry sends the same id and body, and it leaves the list", async () => {
  await notifier();
  target.answer = () => ({ status: 401 });
  for (let i = 0; i < 3; i++) await tell();
  await waitFor(async () => (await rows()).filter(({ status }) => status === "dead").length === 3, { what: "3 dead" });
  expect(target.received).toHaveLength(3);
  const listed = (await people("GET", "/notification-deliveries?status=dead")).body.items;
  expect(listed).toHaveLength(3);
  target.answer = () => ({ status: 204 });
  const [first] = listed;
  const before = target.received.find(({ headers }) => headers["x-svc-delivery"] === first.id)!;
  const retried = await people("POST", `/notification-deliveries/${first.id}/retry`);
  expect([retried.status, retried.body.status, retried.body.attempts]).toEqual([202, "pending", 0]);
  await arrived(4);
  const again = target.received[3]!;
  expect([again.headers["x-svc-delivery"], again.body]).toEqual([first.id, before.body]);
  await waitFor(async () => (await rows()).length === 2, { what: "it to leave the list" });
  expect((await people("POST", `/notification-deliveries/${first.id}/retry`)).status).toBe(404);
  const audit = await api.database.sql`select action from audit_log where resource_id = ${first.id}`;
  expect(audit).toEqual([{ action: "notification_delivery.retry" }]);
});

describe("what waits for its next attempt", () => {
  const LONG = { status: 503, headers: { "retry-after": "3600" } } as const;
  async function waiting(): Promise<{ id: string; integration: string }> {
    const integration = await notifier();
    target.answer = () => LONG;
    await tell();
    const row = await waitFor(async () => (await rows()).find(({ attempts }) => attempts === 1), {
      what: "a first attempt",
    });
    return { id: row.id, integration };
  }

  it("ends with its integration", async () => {
    const { id, integration } = await waiting();
    expect((await people("DELETE", `/notification-integrations/${integration}`)).status).toBe(204);
    await ended(id);
    expect(await rows()).toEqual([]);
    expect(target.received).toHaveLength(1);
  });

  it("is given up when its integration is disabled, and can be retried when that is enabled again", async () => {
    const { id, integration } = await waiting();
    const put = (enabled: boolean) =>
      people("PUT", `/notification-integrations/${integration}`, {
        name: `n-${integration}`,
        events: ["scm_sync_failed"],
        enabled,
      });
    expect((await put(false)).status).toBe(200);
    await ended(id);
    expect(await becomes("dead")).toMatchObject({ last_error: "the integration is disabled" });
    expect((await people("POST", `/notification-deliveries/${id}/retry`)).status).toBe(409);
    await put(true);
    target.answer = () => ({ status: 200 });
    expect((await people("POST", `/notification-deliveries/${id}/retry`)).status).toBe(202);
    await none();
    expect(target.received).toHaveLength(2);
  });

  it("is sent now by a retry, which wakes its workflow", async () => {
    const { id } = await waiting();
    const listed = (await people("GET", "/notification-deliveries")).body.items[0];
    expect(listed).toMatchObject({ id, status: "pending", next_attempt_at: expect.stringMatching(/Z$/) });
    target.answer = () => ({ status: 200 });
    expect((await people("POST", `/notification-deliveries/${id}/retry`)).status).toBe(202);
    await none();
    await ended(id);
  });
});

it("the list is paged and filtered, and another organization's deliveries are neither listed nor retried", async () => {
  const integration = await notifier();
  target.answer = () => ({ status: 410 });
  for (let i = 0; i < 4; i++) await tell();
  await tell("stack_created", { stackKey: await makeStack(api.database, orgId) });
  await waitFor(async () => (await rows()).filter(({ status }) => status === "dead").length === 5, { what: "5 dead" });
  const seen: string[] = [];
  for (let cursor = ""; cursor !== "end"; ) {
    const { body } = await people("GET", `/notification-deliveries?limit=2${cursor}`);
    seen.push(...body.items.map(({ id }: { id: string }) => id));
    cursor = body.next_cursor === null ? "end" : `&cursor=${body.next_cursor}`;
  }
  expect(new Set(seen).size).toBe(5);
  expect(seen).toHaveLength(5);
  const count = async (query: string) => (await people("GET", `/notification-deliveries?${query}`)).body.items.length;
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

it("a delivery whose workflow is missing is healed, and one whose row is gone is ended", async () => {
  const integration = await notifier();
  const id = randomUUID();
  await api.database.sql`
    insert into notification_deliveries (id, org_id, integration_id, domain_event_id, event_type, body)
    values (${id}, ${orgId}, ${integration}, ${randomUUID()}, 'scm_sync_failed', '{}')`;
  const healed: string[] = [];
  await reconcile(core.service, core.temporal, { healed: (workflow, action) => healed.push(`${workflow} ${action}`) });
  expect(healed).toContain("notification started");
  await arrived(1);
  await none();
  expect(target.received[0]).toMatchObject({ headers: { "x-svc-delivery": id }, body: "{}" });
});

it("a target that never answers holds back no other's notifications, nor does it lose its own place in line", async () => {
  const silent = await NotificationTarget.start();
  silent.answer = () => "hang";
  const stalled = await notifier({ events: ["stack_synced"] }, {}, silent);
  await notifier({ events: ["stack_created"] });
  const stackKey = await makeStack(api.database, orgId);
  for (let i = 0; i < 60; i++) await tell("stack_synced", { stackKey });
  await arrived(5, silent);
  for (let i = 0; i < 5; i++) {
    const began = performance.now();
    await tell("stack_created", { stackKey });
    await arrived(i + 1);
    expect(performance.now() - began).toBeLessThan(5_000);
  }
  // No more than its share of the worker is taken by it.
  expect(silent.connections).toBeLessThanOrEqual(5);
  expect((await rows()).filter((row) => row.integration_id === stalled)).toHaveLength(60);
  await api.database.sql`delete from notification_integrations where id = ${stalled}`;
  await silent.stop();
});

describe("fan-out", () => {
  const recipients = async (event: string) =>
    (await api.database.sql`select integration_id from notification_deliveries where domain_event_id = ${event}`).map(
      (row) => row.integration_id as string,
    );
  /** Nothing is sent: what would be is looked at. */
  const made = async (event: string) => {
    await fanOut(api.service, undefined, event);
    return (await recipients(event)).sort();
  };
  const store = (name: Parameters<typeof tellEvent>[1]["name"], more: object = {}) =>
    tellEvent({ ...api.service, sendSoon: () => {} }, { orgId, name, ...more });

  it("goes to those who ask for the event and whose selector the stack's labels contain", async () => {
    await core.relay.close();
    const all = await notifier();
    const other = await notifier({ events: ["stack_deleted"] });
    const off = await notifier({ enabled: false });
    const prod = await notifier({ stack_label_selector: { env: "prod" } });
    const both = await notifier({ stack_label_selector: { env: "prod", team: "net" } });
    const elsewhere = await makeNotifier(api.database, api.keyring, await api.makeOrg(), { url: target.url });
    const stackKey = await makeStack(api.database, orgId, { labels: { env: "prod", x: "y" } });
    const got = await made(await store("stack_created", { stackKey }));
    expect(got).toEqual([all, prod].sort());
    for (const id of [other, off, both, elsewhere]) expect(got).not.toContain(id);
    expect(await made(await store("stack_deleted", { stackKey }))).toEqual([all, other, prod].sort());
    // Without a stack no selector but the empty one matches.
    expect(await made(await store("scm_sync_failed"))).toEqual([all]);
  });

  it("with changes_only skips plans that change nothing, not those that could not be measured", async () => {
    const all = await notifier();
    const changes = await notifier({ changes_only: true });
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
      made(await store("preview_ready", { stackKey, deploymentId: await deployment(summary) }));
    expect(await told({ has_changes: false, counts, gaps: [] })).toEqual([all]);
    expect(await told({ has_changes: true, counts, gaps: [] })).toEqual([all, changes].sort());
    expect(await told({ has_changes: true, counts: null, gaps: ["x"] })).toEqual([all, changes].sort());
    expect(await told(null)).toEqual([all, changes].sort());
    expect(await made(await store("stack_created", { stackKey }))).toEqual([all, changes].sort());
  });

  it("that is repeated, also at once, makes no delivery twice, even after the first was taken", async () => {
    await notifier();
    const event = await store("scm_sync_failed");
    const counts = await Promise.all(Array.from({ length: 5 }, () => fanOut(api.service, undefined, event)));
    expect(counts.sort()).toEqual([0, 0, 0, 0, 1]);
    await api.database.sql`delete from notification_deliveries where domain_event_id = ${event}`;
    expect(await fanOut(api.service, undefined, event)).toBe(0);
  });

  it("names in a chat the account that acted, else the one that asked for the deployment", async () => {
    await notifier({ events: ["deployment_failed", "deployment_cancelled"], provider_type: "chat" });
    const stackKey = await makeStack(api.database, orgId);
    const [account] = await api.database.sql`
      insert into service_accounts (org_id, name) values (${orgId}, 'nightly') returning id`;
    const actor = { id: account?.id as string, kind: "service_account" } as const;
    const deploymentId = await create(core.service, stackKey, { actor });
    await made(await store("deployment_failed", { stackKey, deploymentId }));
    await made(await store("deployment_cancelled", { stackKey, deploymentId, actor }));
    const bodies = (await rows()).map(({ body }) => JSON.parse(body).text);
    expect(bodies).toEqual([0, 1].map(() => expect.stringContaining("by service account nightly")));
  });

  it("costs an organization without integrations no message and no statement of its own", async () => {
    const stackKey = await makeStack(api.database, orgId);
    const { statements } = await countStatements(() => store("stack_synced", { stackKey }));
    expect(statements).toHaveLength(2);
    const messages = () => api.database.sql`select 1 from outbox where message ->> 'orgId' = ${orgId}`;
    expect(await messages()).toEqual([]);
    await notifier({ events: ["scm_sync_failed"] });
    await store("stack_synced", { stackKey });
    expect(await messages()).toEqual([]);
    await store("scm_sync_failed");
    expect(await messages()).toHaveLength(1);
  });

  it("is three statements for one integration and for fifty", async () => {
    const events = [];
    await notifier();
    events.push(await store("scm_sync_failed"));
    for (let i = 0; i < 49; i++) await notifier();
    events.push(await store("scm_sync_failed"));
    for (const event of events) {
      const { statements } = await countStatements(() => fanOut(api.service, undefined, event));
      expect(statements).toHaveLength(3);
    }
    expect(await recipients(events[1] as string)).toHaveLength(50);
  });

  it("remembers for each integration which findings it was told", async () => {
    const early = await notifier();
    const report = (cycles: number) => ({
      cycles,
      orphans: 0,
      duplicates: 0,
      cycles_complete: true,
      orphans_complete: true,
    });
    const findings = async (cycles: number, integration: string) => {
      const event = await store("explore_findings_changed", { data: { current: report(cycles) } });
      await fanOut(api.service, undefined, event);
      const bodies = await api.database.sql`
        select integration_id, body from notification_deliveries where domain_event_id = ${event}`;
      return JSON.parse(bodies.find((row) => row.integration_id === integration)?.body).findings;
    };
    expect(await findings(1, early)).toEqual({ current: report(1) });
    const late = await notifier();
    expect(await findings(2, early)).toEqual({ current: report(2), previous: report(1) });
    expect(await findings(3, late)).toEqual({ current: report(3), previous: report(2) });
  });
});
