/** E-mail against a real SMTP server: TLS, sign-in, refusals, and nothing that a text could add to a message. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import * as v from "valibot";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MailServer as TestServer, trustLocalAuthority } from "../../../../test/support/mailServer.ts";
import { createEgress, type Egress } from "../../../platform/egress/egress.ts";
import { cidrs } from "../../../platform/settings/formats.ts";
import { mailMessage } from "../formats/mailMessage.ts";
import { SAMPLE } from "../message.ts";
import type { MailServer } from "./mailAuth.ts";
import { mailOutcome } from "./mailVerdict.ts";
import { sendMail } from "./sendMail.ts";

let plain: TestServer;
let secure: TestServer;
let bare: TestServer;
let egress: Egress;
beforeAll(async () => {
  trustLocalAuthority();
  [plain, secure, bare] = await Promise.all([
    TestServer.start(),
    TestServer.start({ secure: true }),
    TestServer.start({ hideSTARTTLS: true, disabledCommands: ["STARTTLS"] }),
  ]);
  egress = createEgress({ allow: v.parse(cidrs, "127.0.0.1"), ports: [80, 443] }, async (host) => [
    { address: host === "inside.test" ? "10.0.0.1" : "127.0.0.1", family: 4 },
  ]);
});
afterAll(async () => {
  await egress.close();
  await Promise.all([plain, secure, bare].map((server) => server.stop()));
});
beforeEach(() => {
  for (const server of [plain, secure, bare]) {
    server.received.length = 0;
    server.refuse = () => null;
  }
});

const at = (to: Pick<TestServer, "port">, more: Partial<MailServer> = {}): MailServer => ({
  ...{ host: "localhost", port: to.port, security: "starttls", from: "deploy@acme.example" },
  ...more,
});
const outgoing = (changes: object = {}) => ({
  ...mailMessage({ ...SAMPLE, stack: "Net" }),
  ...{ deliveryId: "01a2208d-0000-7000-8000-000000000001", eventType: "deployment_failed" },
  ...{ to: ["ada@acme.example", "ops@acme.example"], recipients: ["ada@acme.example", "ops@acme.example"] },
  date: new Date("2026-11-28T10:00:00Z"),
  ...changes,
});
const send = (server: MailServer, changes: object = {}, { timeoutMs = 3_000, trusted = false } = {}) =>
  sendMail({ egress, timeoutMs, trusted }, server, outgoing(changes));
const headersOf = (raw: string) => raw.slice(0, raw.indexOf("\r\n\r\n")).split("\r\n");
const TAKEN = { kind: "taken", refused: [] };

describe("a mail server", () => {
  it.each([
    ["STARTTLS", () => at(plain)],
    ["TLS", () => at(secure, { security: "tls" })],
  ] as const)("gets it over %s, after signing in", async (_, server) => {
    expect(await send({ ...server(), username: "deploy", password: "s3cret" })).toEqual(TAKEN);
    const [mail] = [...plain.received, ...secure.received];
    expect(mail).toMatchObject({ secure: true, user: "deploy", from: "deploy@acme.example" });
    expect(mail?.to).toEqual(["ada@acme.example", "ops@acme.example"]);
    expect(headersOf(mail?.raw ?? "")).toEqual(
      expect.arrayContaining([
        "From: deploy@acme.example",
        "To: ada@acme.example, ops@acme.example",
        "Subject: A test of this notification integration: Net",
        "Message-ID: <01a2208d-0000-7000-8000-000000000001@acme.example>",
        "Date: Sat, 28 Nov 2026 10:00:00 +0000",
        "Auto-Submitted: auto-generated",
        "X-Svc-Event: deployment_failed",
      ]),
    );
  });

  it("without STARTTLS gets nothing, neither password nor message, unless that was chosen", async () => {
    const account = { username: "deploy", password: "s3cret" };
    expect(await send(at(bare, account))).toEqual({ kind: "no_tls" });
    expect(bare.received).toEqual([]);
    expect(await send(at(bare, { security: "none" }))).toEqual(TAKEN);
    expect(bare.received).toMatchObject([{ secure: false, user: null }]);
  });

  it("whose certificate is for another name gets nothing", async () => {
    for (const [server, security] of [
      [plain, "starttls"],
      [secure, "tls"],
    ] as const) {
      expect(await send(at(server, { host: "127.0.0.1", security }))).toEqual({ kind: "certificate" });
      expect(server.received).toEqual([]);
    }
  });

  it.each([
    ["auth", 535, "dead"],
    ["auth", 454, "retry"],
    ["from", 553, "dead"],
    ["from", 421, "retry"],
    ["data", 554, "dead"],
    ["data", 452, "retry"],
  ] as const)("that refuses %s with %i", async (stage, code, outcome) => {
    plain.refuse = (now) => (now === stage ? code : null);
    const result = await send(at(plain, { username: "deploy", password: "s3cret" }));
    expect(result).toEqual({ kind: "replied", code });
    expect(mailOutcome(result, 2)).toMatchObject({
      outcome: { took: false, status: code, permanent: outcome === "dead" },
      left: null,
    });
  });

  it("that takes it for some keeps those it refused apart", async () => {
    plain.refuse = (stage, address) => (stage === "rcpt" && address.startsWith("ops") ? 550 : null);
    const result = await send(at(plain));
    expect(result).toEqual({ kind: "taken", refused: [{ recipient: "ops@acme.example", code: 550 }] });
    expect(plain.received).toMatchObject([{ to: ["ada@acme.example"] }]);
    expect(mailOutcome(result, 2)).toEqual({
      outcome: {
        ...{ took: false, status: 550, permanent: true },
        error: "the mail server refused 1 of 2 recipients, with 550",
      },
      left: ["ops@acme.example"],
    });
  });

  it("that takes it for nobody is tried again while one refusal is for now", async () => {
    plain.refuse = (stage, address) => (stage === "rcpt" ? (address.startsWith("ops") ? 550 : 450) : null);
    const result = await send(at(plain));
    expect(plain.received).toEqual([]);
    expect(mailOutcome(result, 2)).toMatchObject({
      outcome: { status: 450, permanent: false },
      left: ["ada@acme.example", "ops@acme.example"],
    });
  });
});

describe("an address", () => {
  it("that may not be called, is closed or speaks something else is one answer, without a connection to what is inside", async () => {
    const closed = createServer();
    const other = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    for (const server of [closed, other]) {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
    }
    const portOf = (server: typeof closed) => (server.address() as AddressInfo).port;
    const closedPort = portOf(closed);
    closed.close();
    const inside = await TestServer.start({}, "127.0.0.2");
    for (const server of [
      at(inside, { host: "127.0.0.2" }),
      at(inside, { host: "inside.test" }),
      at({ port: 25 }, { host: "8.8.8.8" }),
      at({ port: closedPort }),
      at({ port: portOf(other) }),
    ]) {
      expect([server.host, await send(server)]).toEqual([server.host, { kind: "unreachable" }]);
    }
    expect(inside.connections).toBe(0);
    expect(await send(at(inside, { host: "127.0.0.2", security: "none" }), {}, { trusted: true })).toEqual(TAKEN);
    other.close();
    await inside.stop();
  });

  it("that is silent is given up in time", async () => {
    const silent = createServer();
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const began = performance.now();
    expect(await send(at(silent.address() as AddressInfo), {}, { timeoutMs: 300 })).toEqual({ kind: "timeout" });
    expect(performance.now() - began).toBeLessThan(2_000);
    silent.close();
  });
});

describe("texts of others", () => {
  it.each([
    "x\r\nBcc: evil@evil.example",
    "x\nSubject: other\n\nbody",
    "x\u2028Bcc: evil@evil.example",
    `${"long ".repeat(60)}\r\nX-Evil: 1`,
    "ünïcode =?utf-8?q?=0d=0aBcc:_evil@evil.example?=",
  ])("add no header and no recipient: %j", async (text) => {
    await send(at(plain), { subject: text, text: `${text}\r\n.\r\nRCPT TO:<evil@evil.example>\r\n`, html: text });
    const [mail] = plain.received;
    expect(plain.received).toHaveLength(1);
    expect(mail?.to).toEqual(["ada@acme.example", "ops@acme.example"]);
    const names = headersOf(mail?.raw ?? "").flatMap((line) => /^([A-Za-z-]+):/.exec(line)?.[1] ?? []);
    expect(names.sort()).toEqual(
      [
        ...["Auto-Submitted", "Content-Type", "Date", "From", "MIME-Version", "Message-ID", "Subject", "To"],
        ...["X-Svc-Delivery", "X-Svc-Event"],
      ].sort(),
    );
  });
});

it("is left alone once it says more than a mail server does", async () => {
  const flood = createServer((socket) => {
    socket.on("error", () => {});
    const more = (): void => {
      while (!socket.destroyed && socket.write("\n".repeat(4_096)));
    };
    socket.on("drain", more);
    socket.write("220 talkative\r\n");
    more();
  });
  flood.listen(0, "127.0.0.1");
  await once(flood, "listening");
  const { port } = flood.address() as AddressInfo;
  expect(await send(at({ port }), {}, { timeoutMs: 30_000 })).toEqual({ kind: "unreachable" });
  // Nor does what was taken in keep the process from its work.
  const before = process.cpuUsage();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(500);
  flood.close();
});
