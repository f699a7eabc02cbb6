/** Deliveries: what a target answers, and when they are tried again. */
import { createHmac } from "node:crypto";
import { describe, expect } from "vitest";
import { workflowIds } from "../../workflows/ids.ts";
import { SCHEDULE, test } from "../support/deliveriesTest.ts";
import { create, makeStack } from "../support/fixtures.ts";
import { historyText, summaries } from "../support/histories.ts";
import { startNotifier } from "../support/notifications.ts";
import { NotificationTarget } from "../support/notificationTarget.ts";
import { waitFor } from "../support/waitFor.ts";

test.beforeAll(async ({ core, temporal, api, hosts }) => {
  await core.startWorker();
  await startNotifier(temporal, api.database, hosts, { schedule: SCHEDULE });
});

test.afterEach(({ target }) => target.stop());

describe("a target", () => {
  test("gets the envelope with its headers and a signature over the raw body; the row is gone and the history holds only ids", async ({
    temporal,
    target,
    world,
  }) => {
    await world.notifier({}, { secret: "s3cret", headers: { Authorization: "Bearer receiver" } });
    await world.tell("scm_sync_failed", {
      data: { repository_url: "https://git.example/r", last_error: "ünreachable" },
    });
    await world.arrived(1);
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
    await world.none();
    const id = headers["x-svc-delivery"] as string;
    await world.ended(id);
    expect(await historyText(temporal.client, workflowIds.notification(id))).not.toMatch(
      /s3cret|receiver|git\.example|secret-path|127\.0\.0\.1/,
    );
  });

  test("has a history that says in words what was told, and how each attempt went; a stack's day shows it", async ({
    temporal,
    core,
    api,
    orgId,
    target,
    world,
  }) => {
    await world.notifier({ events: ["deployment_failed"] });
    const stackKey = await makeStack(api.database, orgId);
    const deploymentId = await create(core.service, stackKey);
    target.answer = () => ({ status: target.received.length < 2 ? 503 : 200 });
    await world.tell("deployment_failed", { stackKey, deploymentId });
    await world.arrived(2);
    const id = target.received[0]!.headers["x-svc-delivery"] as string;
    await world.ended(id);
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

  test.for([
    ["429", { status: 429 }],
    ["500", { status: 500 }],
    ["a redirect", { status: 307, headers: { location: "/elsewhere" } }],
    ["a cut connection", "reset"],
  ] as const)("that answers %s first gets the same id and bytes again", async ([_, reply], { target, world }) => {
    await world.notifier();
    target.answer = () => (target.received.length < 3 ? reply : { status: 200 });
    await world.tell();
    await world.arrived(3);
    await world.none();
    expect(new Set(target.received.map(({ headers, body }) => `${headers["x-svc-delivery"]} ${body}`)).size).toBe(1);
  });

  test("whose answer is large or cannot be decoded has taken it all the same", async ({ target, world }) => {
    await world.notifier();
    target.answer = () => ({ status: 200, headers: { "content-encoding": "gzip" }, body: Buffer.alloc(3_000_000, 1) });
    await world.tell();
    await world.arrived(1);
    await world.none();
    expect(target.received).toHaveLength(1);
  });

  test("that never takes it leaves it dead after the schedule, listed with the reason", async ({ target, world }) => {
    await world.notifier();
    target.answer = () => ({ status: 503 });
    await world.tell();
    const dead = await world.becomes("dead");
    expect(target.received).toHaveLength(SCHEDULE.length + 1);
    const { body } = await world.people("GET", "/notification-deliveries");
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
    await world.ended(dead.id);
  });

  test("that may not be called is tried like one that is silent, without a connection", async ({ world }) => {
    const inside = await NotificationTarget.start("127.0.0.2");
    await world.notifier({}, {}, inside);
    await world.tell();
    expect(await world.becomes("dead")).toMatchObject({ attempts: 4, last_status: null });
    expect(inside.connections).toBe(0);
    await inside.stop();
  });
});

describe("Retry-After", () => {
  test.for([
    ["in seconds", (): string => "2"],
    ["as a date", (): string => new Date(Math.ceil((Date.now() + 2_000) / 1_000) * 1_000).toUTCString()],
  ] as const)("%s is honoured: tried again, not dead, and not before", async ([_, retryAfter], { target, world }) => {
    await world.notifier();
    let notBefore = 0;
    target.answer = ({ at }) => {
      if (target.received.length > 1) return { status: 200 };
      const value = retryAfter();
      notBefore = value === "2" ? at + 2_000 : Date.parse(value);
      return { status: 429, headers: { "retry-after": value } };
    };
    await world.tell();
    await world.arrived(2);
    await world.none();
    expect(target.received[1]!.at).toBeGreaterThanOrEqual(notBefore - 5);
    expect(target.received[1]!.at).toBeLessThan(notBefore + 10_000);
  });
});

test("401 is dead at once; after the repair a retry sends the same id and body, and it leaves the list", async ({
  api,
  target,
  world,
}) => {
  await world.notifier();
  target.answer = () => ({ status: 401 });
  for (let i = 0; i < 3; i++) await world.tell();
  await waitFor(async () => (await world.rows()).filter(({ status }) => status === "dead").length === 3, {
    what: "3 dead",
  });
  expect(target.received).toHaveLength(3);
  const listed = (await world.people("GET", "/notification-deliveries?status=dead")).body.items;
  expect(listed).toHaveLength(3);
  target.answer = () => ({ status: 204 });
  const [first] = listed;
  const before = target.received.find(({ headers }) => headers["x-svc-delivery"] === first.id)!;
  const retried = await world.people("POST", `/notification-deliveries/${first.id}/retry`);
  expect([retried.status, retried.body.status, retried.body.attempts]).toEqual([202, "pending", 0]);
  await world.arrived(4);
  const again = target.received[3]!;
  expect([again.headers["x-svc-delivery"], again.body]).toEqual([first.id, before.body]);
  await waitFor(async () => (await world.rows()).length === 2, { what: "it to leave the list" });
  expect((await world.people("POST", `/notification-deliveries/${first.id}/retry`)).status).toBe(404);
  const audit = await api.database.sql`select action from audit_log where resource_id = ${first.id}`;
  expect(audit).toEqual([{ action: "notification_delivery.retry" }]);
});
