/** E-mail against a real SMTP server: TLS, sign-in, refusals, and nothing that a text could add to a message. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { createSecureContext, TLSSocket } from "node:tls";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import * as v from "valibot";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_CERTIFICATE, LOCAL_KEY } from "../../../../test/support/localCertificate.ts";
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
    ["auth", 535, "sign_in", "refused the user name and password with 535"],
    ["auth", 454, "sign_in", "put it off with 454"],
    ["from", 553, "sender", "refused the sender with 553"],
    ["from", 421, "sender", "put it off with 421"],
    ["data", 554, "message", "refused it with 554"],
    ["data", 452, "message", "put it off with 452"],
  ] as const)("that refuses %s with %i", async (stage, code, at_, said) => {
    plain.refuse = (now) => (now === stage ? code : null);
    const result = await send(at(plain, { username: "deploy", password: "s3cret" }));
    expect(result).toEqual({ kind: "replied", code, at: at_ });
    expect(mailOutcome(result, 2)).toMatchObject({
      outcome: { took: false, status: code, permanent: code >= 500, error: `the mail server ${said}` },
      left: null,
    });
  });

  it("that turns everybody away says so", async () => {
    const busy = createServer((socket) => socket.on("error", () => {}).end("554 not today\r\n"));
    busy.listen(0, "127.0.0.1");
    await once(busy, "listening");
    const result = await send(at(busy.address() as AddressInfo));
    expect(result).toEqual({ kind: "replied", code: 554, at: "greeting" });
    expect(mailOutcome(result, 2).outcome).toMatchObject({ error: "the mail server refused the connection with 554" });
    busy.close();
  });

  it("that is told who calls learns nothing of our machine", async () => {
    const names: string[] = [];
    const curious = await TestServer.start({
      onMailFrom: (_address, { hostNameAppearsAs }, done) => {
        names.push(hostNameAppearsAs);
        done();
      },
    });
    expect(await send(at(curious))).toEqual(TAKEN);
    expect(names).toEqual(["acme.example"]);
    await curious.stop();
  });

  it("whose TLS is too old is one without TLS", async () => {
    const old = await TestServer.start({ minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" });
    expect(await send(at(old))).toEqual({ kind: "no_tls" });
    await old.stop();
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

describe("a server that says more than a mail server does", () => {
  /** As it is before TLS, within it, or after STARTTLS: from then on nothing but empty lines. */
  const FLOODS = {
    none: (socket: Socket) => flood(socket, "220 talkative\r\n"),
    tls: (socket: Socket) => flood(secured(socket), "220 talkative\r\n"),
    starttls: (socket: Socket) => {
      const replies = ["250-talkative\r\n250 STARTTLS\r\n", "220 go on\r\n"];
      socket.write("220 talkative\r\n");
      socket.on("data", () => {
        socket.write(replies.shift() ?? "");
        if (replies.length > 0) return;
        socket.removeAllListeners("data");
        flood(secured(socket), "");
      });
    },
  };
  const secured = (socket: Socket) =>
    new TLSSocket(socket, {
      isServer: true,
      secureContext: createSecureContext({ key: LOCAL_KEY, cert: LOCAL_CERTIFICATE }),
    });
  const flood = (socket: Socket, first: string) => {
    socket.on("error", () => {});
    const more = (): void => {
      while (!socket.destroyed && socket.write("\n".repeat(4_096)));
    };
    socket.on("drain", more);
    socket.write(first);
    more();
  };

  it.each([
    ["none", false],
    ["tls", false],
    ["starttls", false],
    ["none", true],
    ["tls", true],
    ["starttls", true],
  ] as const)("is left alone at once: security %s, the operator's own: %s", async (security, trusted) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      FLOODS[security](socket);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    let opened: Socket | undefined;
    const connect: Egress["connect"] = async (call) => {
      opened = await egress.connect(call);
      return opened;
    };
    const to = at(server.address() as AddressInfo, { security });
    const result = await sendMail({ egress: { connect }, timeoutMs: 30_000, trusted }, to, outgoing());
    expect(result).toEqual({ kind: "unreachable" });
    // What one read of a socket takes more than the limit was read, but handed to nobody.
    expect(opened?.bytesRead).toBeLessThanOrEqual(256 * 1_024 + 65_536);
    expect(opened?.destroyed).toBe(true);
    server.close();
  });

  it("keeps nothing of empty lines, which its library would work on one by one", async () => {
    const stream = Object.assign(new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() }), {
      setTimeout: () => stream,
    });
    const session = new SMTPConnection({ connection: stream as unknown as Socket });
    session.on("error", () => {});
    const connected = new Promise((resolve) => setImmediate(resolve));
    session.connect(() => {});
    await connected;
    stream.push(`220 talkative\r\n${"\n".repeat(10_000)}`);
    await once(stream, "data");
    expect(Reflect.get(session, "_responseQueue")).toEqual([]);
    session.close();
  });
});
