/** Notification integrations over HTTP: what may be written, what can never be read, test sends. */
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openAuth } from "../../src/exchange/notifications/authConfig.ts";
import { NOTIFIED_EVENTS } from "../../src/work/eventNames.ts";
import { NotificationTarget } from "../support/notificationTarget.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

const TEST_TIMEOUT_MS = 500;
const CANARY = "canary-0123456789";
const URL_CANARY = `https://hooks.example/services/${CANARY}`;

let api: PeopleApi;
let target: NotificationTarget;
/** Listens where nothing may be sent. */
let inside: NotificationTarget;
let orgId: string;
let token: string;

beforeAll(async () => {
  [target, inside] = await Promise.all([NotificationTarget.start(), NotificationTarget.start("127.0.0.2")]);
  api = await startPeopleApi({
    env: { SVC_EGRESS_ALLOW: "127.0.0.1" },
    notifications: { timeoutMs: TEST_TIMEOUT_MS },
  });
});
afterAll(async () => {
  await api.close();
  await Promise.all([target.stop(), inside.stop()]);
});
beforeEach(async () => {
  orgId = await api.makeOrg();
  ({ token } = await api.makeAccount(orgId, [["notification_integration", "*"]]));
});
afterEach(() => {
  target.answer = () => ({ status: 204 });
  target.received.length = 0;
});

const path = (id = "") => `/api/v1/orgs/${orgId}/notification-integrations${id === "" ? "" : `/${id}`}`;
const valid = (changes: object = {}) => ({
  name: `n-${randomUUID().slice(0, 8)}`,
  provider_type: "webhook",
  events: ["deployment_failed"],
  provider_config: {},
  auth_config: { url: URL_CANARY },
  ...changes,
});
const create = (changes: object = {}) => api.call("POST", path(), { token, body: valid(changes) });
const stored = async (id: string) => {
  const [row] = await api.database.sql`select auth_config from notification_integrations where id = ${id}`;
  return openAuth(api.keyring, id, row?.auth_config);
};

it("is created with defaults, and neither address nor secret nor headers are in any answer, row, entry or log line", async () => {
  const auth_config = { url: URL_CANARY, secret: `${CANARY}-s`, headers: { "X-Api-Key": `${CANARY}-h` } };
  const { status, body, text } = await create({ auth_config });
  expect(status, text).toBe(201);
  expect(body).toMatchObject({
    provider_type: "webhook",
    enabled: true,
    events: ["deployment_failed"],
    changes_only: false,
    stack_label_selector: {},
    provider_config: {},
    auth_config_summary: { has_secret: true, header_count: 1 },
  });
  expect(body).not.toHaveProperty("auth_config");
  const put = await api.call("PUT", path(body.id), { token, body: valid({ name: body.name, auth_config: undefined }) });
  expect(put.status).toBe(200);
  expect(await stored(body.id)).toEqual(auth_config);
  const read = await api.call("GET", path(body.id), { token });
  const list = await api.call("GET", path(), { token });
  expect(list.body.items).toEqual([put.body]);
  const { sql } = api.database;
  const [row] = await sql`select to_jsonb(i)::text as text from notification_integrations i where id = ${body.id}`;
  const audit = await sql`select action, details::text from audit_log where resource_id = ${body.id} order by id`;
  expect(audit.map(({ action }) => action)).toEqual([
    "notification_integration.create",
    "notification_integration.update",
  ]);
  const everything = [
    text,
    put.text,
    read.text,
    list.text,
    row?.text,
    JSON.stringify(audit),
    JSON.stringify(api.logged),
  ];
  expect(everything.join("\n")).not.toContain("canary");
});

it("takes every event of the product, once each and in one order", async () => {
  const { body } = await create({ events: [...NOTIFIED_EVENTS, ...NOTIFIED_EVENTS].reverse() });
  expect(body.events).toEqual([...NOTIFIED_EVENTS]);
});

it("a PUT that sends auth_config keeps secrets at their host only", async () => {
  const auth_config = { url: "https://hooks.example/a", secret: CANARY, headers: { Authorization: CANARY } };
  const { body } = await create({ auth_config });
  const put = (auth: object) => api.call("PUT", path(body.id), { token, body: valid({ auth_config: auth }) });
  await put({ url: "https://hooks.example/b" });
  expect(await stored(body.id)).toEqual({ ...auth_config, url: "https://hooks.example/b" });
  expect((await put({ url: "https://evil.example/" })).body.auth_config_summary).toEqual({
    has_secret: false,
    header_count: 0,
  });
  expect(await stored(body.id)).toEqual({ url: "https://evil.example/" });
});

describe("a refused setting names its field and never repeats a value", () => {
  it.each([
    ["auth_config", "no address", { auth_config: undefined }],
    ["auth_config.url", "no address inside", { auth_config: { secret: CANARY } }],
    ["auth_config.url", "another scheme", { auth_config: { url: `ftp://${CANARY}/` } }],
    ["auth_config.url", "credentials in it", { auth_config: { url: `https://${CANARY}:x@hooks.example/` } }],
    ["auth_config.url", "a number", { auth_config: { url: 5 } }],
    ["auth_config.secret", "an empty secret", { auth_config: { url: URL_CANARY, secret: "" } }],
    ["auth_config.secret", "an object", { auth_config: { url: URL_CANARY, secret: { a: CANARY } } }],
    ["auth_config.headers", "our header", { auth_config: { url: URL_CANARY, headers: { "CONTENT-type": CANARY } } }],
    [
      "auth_config.headers",
      "a line break",
      { auth_config: { url: URL_CANARY, headers: { [CANARY]: `${CANARY}\r\nX: y` } } },
    ],
    ["auth_config.headers", "a list", { auth_config: { url: URL_CANARY, headers: [CANARY] } }],
    ["events.0", "an unknown event", { events: ["deployment_promoted"] }],
    ["events", "no list", { events: undefined }],
    ["provider_type", "an unknown provider", { provider_type: "pager" }],
    ["provider_config.url", "settings a webhook does not have", { provider_config: { url: CANARY } }],
    ["changesonly", "a misspelt field", { changesonly: true }],
  ])("names %s for %s and repeats no value", async (field, _, changes) => {
    const answer = await create(changes);
    expect([answer.status, answer.body.code]).toEqual([422, "invalid_value"]);
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
    expect(`${answer.text}${JSON.stringify(api.logged)}`).not.toContain("canary");
  });
});

it("names are unique in an organization, and another's integration is the uniform 404", async () => {
  const { body } = await create();
  expect((await create({ name: body.name })).status).toBe(409);
  const stranger = (await api.makeAccount(await api.makeOrg(), [["*", "*"]])).token;
  for (const [method, suffix] of [
    ["GET", ""],
    ["PUT", ""],
    ["DELETE", ""],
    ["POST", "/test"],
  ] as const) {
    const answer = await api.call(method, path(body.id) + suffix, {
      token: stranger,
      body: method === "PUT" ? valid() : undefined,
    });
    expect([method, answer.status]).toEqual([method, 404]);
  }
  expect((await api.call("DELETE", path(body.id), { token })).status).toBe(204);
  expect((await api.call("GET", path(body.id), { token })).status).toBe(404);
});

describe("a test send", () => {
  const send = async (auth_config: object, changes: object = {}) => {
    const { body } = await create({ auth_config, ...changes });
    const began = performance.now();
    const answer = await api.call("POST", path(`${body.id}/test`), { token });
    return { answer, ms: performance.now() - began };
  };

  it.each([
    [200, "2xx"],
    [302, "3xx"],
    [404, "4xx"],
    [503, "5xx"],
  ])("to a target that answers %i tells %s and no more", async (status, result) => {
    target.answer = () => ({ status, headers: { location: inside.url }, body: Buffer.from(CANARY) });
    const { answer } = await send({ url: target.url });
    expect([answer.status, answer.body]).toEqual([200, { result }]);
    expect(target.received).toHaveLength(1);
    expect(inside.connections).toBe(0);
  });

  it("carries a signed sample and stores nothing", async () => {
    await send({ url: target.url, secret: "s", headers: { "X-Api-Key": "k" } });
    const { headers, body } = target.received[0]!;
    expect(headers).toMatchObject({
      "x-svc-event": "test",
      "x-api-key": "k",
      "x-svc-signature-256": expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
    });
    expect(JSON.parse(body)).toEqual({ event_type: "test", org_id: orgId, occurred_at: expect.stringMatching(/Z$/) });
    expect(await api.database.sql`select 1 from notification_deliveries where org_id = ${orgId}`).toEqual([]);
    expect(await api.database.sql`select 1 from outbox where message ->> 'orgId' = ${orgId}`).toEqual([]);
  });

  it("to a chat is a message", async () => {
    await send({ url: target.url }, { provider_type: "chat" });
    expect(target.bodies()).toEqual([{ text: expect.stringMatching(/test/), unfurl_links: false }]);
  });

  it("to what is private, closed or silent is one answer at one time, and nothing private is connected to", async () => {
    target.answer = () => "hang";
    const closed = await NotificationTarget.start();
    const { url: closedUrl } = closed;
    await closed.stop();
    const tries = {
      open_private: inside.url,
      closed_private: "http://127.0.0.2:9/",
      link_local: "http://169.254.169.254/latest/meta-data/",
      mapped: `http://[::ffff:127.0.0.2]:${new URL(inside.url).port}/`,
      no_such_name: "https://nothing.invalid/",
      closed: closedUrl,
      silent: target.url,
    };
    const results = await Promise.all(Object.values(tries).map((url) => send({ url })));
    expect(new Set(results.map(({ answer }) => `${answer.status} ${answer.text}`))).toEqual(
      new Set(['200 {"result":"no_answer"}']),
    );
    const times = results.map(({ ms }) => ms);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(TEST_TIMEOUT_MS);
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(TEST_TIMEOUT_MS);
    expect(inside.connections).toBe(0);
  });
});

it("the audit trail has what a PUT changed, before and after, and of secrets which ones", async () => {
  const auth_config = { url: "https://hooks.example/a", secret: CANARY, headers: { Authorization: CANARY } };
  const { body } = await create({ auth_config });
  const { sql } = api.database;
  const lastUpdate = async (settings: object) => {
    expect((await api.call("PUT", path(body.id), { token, body: valid(settings) })).status).toBe(200);
    const [row] = await sql`
      select details from audit_log where resource_id = ${body.id} and action = 'notification_integration.update'
      order by id desc limit 1`;
    expect(JSON.stringify(row)).not.toContain("canary");
    return row?.details;
  };
  const renamed = await lastUpdate({ name: "other", enabled: false, auth_config: undefined });
  expect(renamed).toMatchObject({
    name: "other",
    before: { name: body.name, enabled: true },
    after: { name: "other", enabled: false },
  });
  expect(renamed).not.toHaveProperty("auth_changed");
  const moved = await lastUpdate({ name: "other", auth_config: { url: "https://evil.example/a" } });
  expect(moved.auth_changed).toEqual(["host", "url", "secret", "headers"]);
  const given = await lastUpdate({ name: "other", auth_config: { url: "https://evil.example/b", secret: CANARY } });
  expect(given.auth_changed).toEqual(["url", "secret"]);
});

it("what no key opens any more is repaired by sending all of it again", async () => {
  const { body } = await create({});
  await api.database.sql`
    update notification_integrations set auth_config = substring(auth_config for 40) where id = ${body.id}`;
  const tried = await api.call("POST", `${path(body.id)}/test`, { token });
  expect([tried.status, tried.body.detail]).toEqual([409, expect.stringContaining("cannot be decrypted")]);
  const auth_config = { url: "https://hooks.example/new" };
  const put = await api.call("PUT", path(body.id), { token, body: valid({ name: body.name, auth_config }) });
  expect([put.status, put.body.auth_config_summary]).toEqual([200, { has_secret: false, header_count: 0 }]);
  expect(await stored(body.id)).toEqual(auth_config);
});
