/** E-mails end to end: by whose server, to whom, what is tried again, and what people see of it. */
import { expect } from "vitest";
import { sealAuth } from "../../src/exchange/notifications/authConfig.ts";
import { test as deliveriesTest, SCHEDULE } from "../support/deliveriesTest.ts";
import { MailServer } from "../support/mailServer.ts";
import { startNotifier } from "../support/notifications.ts";
import { waitFor } from "../support/waitFor.ts";

const INSTALLATION = { security: "none", from: "deploy@installation.example" } as const;
const RECIPIENTS = ["ada@acme.example", "ops@acme.example"];

const test = deliveriesTest
  .extend("mail", { scope: "file" }, async ({}, { onCleanup }) => {
    const server = await MailServer.start({ hideSTARTTLS: true });
    onCleanup(() => server.stop());
    return server;
  })
  .extend("mailing", ({ world, mail, orgId }) => {
    const smtp = { host: "127.0.0.1", port: mail.port, security: "none", from: "deploy@acme.example" };
    const body = (changes: object = {}) => ({
      ...{ name: `mail of ${orgId}`, provider_type: "email", events: ["scm_sync_failed"] },
      ...{ provider_config: { recipients: RECIPIENTS }, auth_config: { smtp } },
      ...changes,
    });
    const make = (changes: object = {}) => world.people("POST", "/notification-integrations", body(changes));
    return { smtp, body, make };
  });

test.beforeAll(async ({ core, temporal, api, hosts, mail }) => {
  await core.startWorker();
  const server = { host: "127.0.0.1", port: mail.port, ...INSTALLATION };
  await startNotifier(temporal, api.database, hosts, {
    ...{ schedule: SCHEDULE, mail: { server, domains: ["acme.example"] } },
  });
});
test.beforeEach(({ mail }) => {
  mail.received.length = 0;
  mail.refuse = () => null;
});
test.afterEach(({ target }) => target.stop());

const idOf = (raw: string) => /^X-Svc-Delivery: (.*)\r$/m.exec(raw)?.[1];

test("arrives once, at all of its recipients, with what happened and why", async ({ mail, mailing, world }) => {
  expect((await mailing.make()).status).toBe(201);
  await world.tell("scm_sync_failed", { data: { repository_url: "https://git.example/r", last_error: "no <answer>" } });
  await waitFor(() => mail.received.length > 0, { what: "an e-mail" });
  await world.none();
  expect(mail.received).toMatchObject([{ from: "deploy@acme.example", to: RECIPIENTS }]);
  const { raw } = mail.received[0]!;
  expect(raw).toContain("Subject: Sync with the code host failed\r\n");
  expect(raw).toContain("Reason: no <answer>");
  expect(raw).toContain("no &lt;answer&gt;");
});

test("is tried again for those who have not got it, and dead once the rest is refused for good; a retry goes to them alone", async ({
  mail,
  mailing,
  world,
}) => {
  await mailing.make();
  mail.refuse = (stage, address) => {
    if (stage !== "rcpt") return null;
    if (mail.received.length === 0) return address.startsWith("ada") ? null : 450;
    return 550;
  };
  await world.tell();
  const dead = await world.becomes("dead");
  expect(mail.received.map(({ to }) => to)).toEqual([["ada@acme.example"]]);
  const { body } = await world.people("GET", "/notification-deliveries");
  expect(body.items).toMatchObject([
    {
      ...{ id: dead.id, status: "dead", attempts: 2, last_status: 550 },
      last_error: "the mail server refused 1 of 1 recipients, with 550",
    },
  ]);
  mail.refuse = () => null;
  await world.people("POST", `/notification-deliveries/${dead.id}/retry`);
  await world.none();
  expect(mail.received.map(({ to }) => to)).toEqual([["ada@acme.example"], ["ops@acme.example"]]);
  expect(new Set(mail.received.map(({ raw }) => idOf(raw)))).toEqual(new Set([dead.id]));
});

test("goes through the installation's server to opened domains alone, also when they are closed later", async ({
  api,
  mail,
  world,
  orgId,
  mailing,
}) => {
  const { sql } = api.database;
  const { id } = (await mailing.make()).body;
  await sql`update notification_integrations set auth_config = ${await sealAuth(api.keyring, id, { smtp: null })} where id = ${id}`;
  await world.tell();
  await waitFor(() => mail.received.length > 0, { what: "an e-mail" });
  await world.none();
  expect(mail.received).toMatchObject([{ from: INSTALLATION.from, to: RECIPIENTS }]);
  await sql`update notification_integrations set provider_config = '{"recipients": ["eve@evil.example"]}' where org_id = ${orgId}`;
  await world.tell();
  expect(await world.becomes("dead")).toMatchObject({
    attempts: 1,
    last_error: expect.stringContaining("the operator can open their domains"),
  });
  expect(mail.received).toHaveLength(1);
});

test("a test send tells the class of the server's reply", async ({ mail, mailing, world }) => {
  const { id } = (await mailing.make()).body;
  const tried = async () => (await world.people("POST", `/notification-integrations/${id}/test`)).body;
  expect(await tried()).toEqual({ result: "2xx" });
  expect(mail.received[0]?.raw).toContain("Subject: A test of this notification integration\r\n");
  mail.refuse = () => 451;
  expect(await tried()).toEqual({ result: "4xx" });
  mail.refuse = () => 554;
  expect(await tried()).toEqual({ result: "5xx" });
});

test("settings: recipients and server can be read, the password never; it stays with its account and follows to no other", async ({
  api,
  mailing: { smtp, body, make },
  world,
}) => {
  const own = { ...smtp, security: "starttls", username: "deploy", password: "canary-s3cret" };
  const made = await make({ auth_config: { smtp: own } });
  const { password: _, ...shown } = own;
  expect(made.body).toMatchObject({
    provider_config: { recipients: RECIPIENTS },
    auth_config_summary: { has_secret: true, header_count: 0, smtp: shown },
  });
  const path = `/notification-integrations/${made.body.id}`;
  const put = async (auth_config?: object) => (await world.people("PUT", path, body({ auth_config }))).body;
  const hasSecret = async (auth_config?: object) => (await put(auth_config)).auth_config_summary.has_secret;
  expect(await hasSecret()).toBe(true);
  expect(await hasSecret({ smtp: { ...shown, from: "other@acme.example" } })).toBe(true);
  expect(await hasSecret({ smtp: { ...shown, port: 2_525 } })).toBe(false);
  const { sql } = api.database;
  const audit = await sql`select details::text from audit_log where resource_id = ${made.body.id} order by id`;
  expect(audit.at(-1)?.details).toContain('"host"');
  const [row] = await sql`select to_jsonb(i)::text as text from notification_integrations i where id = ${made.body.id}`;
  expect(JSON.stringify([made.text, audit, row, api.logged])).not.toContain("canary-s3cret");
});

test.for([
  ["provider_config.recipients", "none", { provider_config: { recipients: [] } }],
  ["provider_config.recipients", "too many", { provider_config: { recipients: many(21) } }],
  ["provider_config.recipients", "one twice", { provider_config: { recipients: ["a@b.example", "A@b.example"] } }],
  ["provider_config.recipients.0", "two in one", { provider_config: { recipients: ["a@b.example,c@d.example"] } }],
  [
    "provider_config.recipients.0",
    "a header",
    { provider_config: { recipients: ["a@b.example\r\nBcc: c@d.example"] } },
  ],
  ["provider_config.recipients.0", "a name", { provider_config: { recipients: ["Ada <a@b.example>"] } }],
  ["auth_config.smtp", "no server at all", { auth_config: { smtp: null } }],
  ["auth_config.smtp.from", "no sender", { auth_config: { smtp: { host: "smtp.example", port: 587 } } }],
  [
    "auth_config.smtp.username",
    "a password in clear",
    { auth_config: { smtp: { host: "h.example", port: 25, security: "none", username: "u", from: "a@b.example" } } },
  ],
  [
    "auth_config.smtp.host",
    "a host with a path",
    { auth_config: { smtp: { host: "h/x", port: 25, from: "a@b.example" } } },
  ],
  ["auth_config.url", "an address", { auth_config: { url: "https://hooks.example" } }],
] as const)("is refused with the name of the field: %s, for %s", async ([field, , changes], { mailing }) => {
  const { status, body } = await mailing.make(changes);
  expect([status, body.code]).toEqual([422, "invalid_value"]);
  expect(body.errors.map((error: { field: string }) => error.field)).toContain(field);
});

test("an integration neither becomes nor ceases to be e-mail", async ({ mailing, world }) => {
  const { id } = (await mailing.make()).body;
  const { status, body } = await world.people("PUT", `/notification-integrations/${id}`, {
    ...{ name: "n", provider_type: "slack", events: [], auth_config: { url: "https://hooks.example" } },
  });
  expect([status, body.errors[0].field]).toEqual([422, "provider_type"]);
});

function many(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `a${at}@acme.example`);
}
