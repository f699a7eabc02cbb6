import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cidrs } from "../settings/formats.ts";
import { createEgress, type Egress } from "./egress.ts";
import { EgressAnswerError, EgressRefusedError, EgressTimeoutError, EgressUnreachableError } from "./errors.ts";
import type { Resolve } from "./resolver.ts";

let server: Server;
let port: number;
let answer: RequestListener;
let connections: number;
let open: Egress;
const closing: Egress[] = [];

function egress(allow: string, resolve?: Resolve): Egress {
  const made = createEgress({ allow: v.parse(cidrs, allow), ports: [80, 443] }, resolve);
  closing.push(made);
  return made;
}

beforeEach(async () => {
  connections = 0;
  answer = (_request, response) => response.end("hello");
  server = createServer((request, response) => answer(request, response));
  server.on("connection", () => connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
  open = egress(`127.0.0.1:${port}`);
});
afterEach(async () => {
  await Promise.all(closing.splice(0).map((one) => one.close()));
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

const url = (path = "/") => `http://127.0.0.1:${port}${path}`;
const named = (host: string) => `http://${host}:${port}/`;
const to =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));

describe("the egress client", () => {
  it("sends method, headers and body to an opened address and gives back the answer", async () => {
    answer = (request, response) => {
      response.writeHead(201, { "x-seen": `${request.method} ${request.headers["x-svc-delivery"]}` });
      request.pipe(response);
    };
    const headers = { "x-svc-delivery": "7" };
    const got = await open.request({ url: url(), method: "POST", headers, body: "payload" });
    expect([got.status, got.headers["x-seen"], got.body.toString()]).toEqual([201, "POST 7", "payload"]);
  });

  it("a hundred calls that hang at one host hold up no other call to it: tenants share hosts", async () => {
    answer = (request, response) => void (request.url === "/hangs" || response.end("hello"));
    const leaving = new AbortController();
    const hanging = Array.from({ length: 100 }, () =>
      open.request({ url: url("/hangs"), timeoutMs: 20_000, signal: leaving.signal }).catch(() => "left"),
    );
    await expect.poll(() => connections).toBeGreaterThanOrEqual(20);
    expect((await open.request({ url: url(), timeoutMs: 2_000 })).status).toBe(200);
    leaving.abort();
    expect(new Set(await Promise.all(hanging))).toEqual(new Set(["left"]));
  });

  it.each([
    ["loopback", (p: number) => `http://127.0.0.1:${p}/`],
    ["loopback as one number", (p: number) => `http://2130706433:${p}/`],
    ["loopback in short", (p: number) => `http://127.1:${p}/`],
    ["loopback in octal", (p: number) => `http://0177.0.0.1:${p}/`],
    ["loopback in hexadecimal", (p: number) => `http://0x7f000001:${p}/`],
    ["loopback in wide digits", (p: number) => `http://１２７.0.0.1:${p}/`],
    ["unspecified", (p: number) => `http://0.0.0.0:${p}/`],
    ["mapped loopback", (p: number) => `http://[::ffff:127.0.0.1]:${p}/`],
    ["loopback v6", (p: number) => `http://[::1]:${p}/`],
    ["localhost by name", (p: number) => `http://localhost:${p}/`],
    ["metadata", () => "http://169.254.169.254/latest/meta-data/"],
  ])("refuses %s before any connection is made", async (_what, make) => {
    const refused = await egress("")
      .request({ url: make(port) })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(EgressRefusedError);
    expect(connections).toBe(0);
  });

  it("checks what a name resolves to, and uses the checked address only", async () => {
    await expect(egress("", to("127.0.0.1")).request({ url: named("rebind.test") })).rejects.toThrow(
      EgressRefusedError,
    );
    expect(connections).toBe(0);
    answer = (request, response) => response.end(request.headers.host);
    // A forbidden second address is never tried, whatever becomes of the first.
    const mixed = egress(`127.0.0.1:${port}`, to("::1", "10.0.0.1", "127.0.0.1"));
    expect((await mixed.request({ url: named("mixed.test") })).body.toString()).toBe(`mixed.test:${port}`);
  });

  it("resolves once per connection, so that a name cannot change its mind between check and use", async () => {
    let asked = 0;
    const flips: Resolve = async () => [{ address: asked++ === 0 ? "127.0.0.1" : "169.254.169.254", family: 4 }];
    await egress(`127.0.0.1:${port}`, flips).request({ url: named("flip.test") });
    expect([asked, connections]).toEqual([1, 1]);
  });

  it.each([
    ["ftp://example.com/", "scheme"],
    ["file:///etc/passwd", "scheme"],
    ["javascript:alert(1)", "scheme"],
    ["https://user:hunter2@example.com/", "credentials"],
    ["not a url hunter2", "malformed"],
    ["https://93.184.216.34:6379/", "port_or_address"],
  ])("refuses %s as %s, and never repeats it", async (address, refusal) => {
    const error = await open.request({ url: address }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ refusal, status: refusal === "port_or_address" ? 502 : 422 });
    expect(JSON.stringify(error) + String(error)).not.toMatch(/hunter2|93\.184/);
  });

  it("gives back a redirect without following it", async () => {
    answer = (request, response) => response.writeHead(302, { location: url(`${request.url}/next`) }).end();
    const got = await open.request({ url: url("/first") });
    expect([got.status, got.headers.location, connections]).toEqual([302, url("/first/next"), 1]);
  });

  it.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ])("inflates %s, and stops at the cap when a small body inflates to a large one", async (encoding, compress) => {
    answer = (request, response) => {
      response.setHeader("content-encoding", encoding);
      response.end(compress(Buffer.alloc(request.url === "/bomb" ? 50_000_000 : 1_000)));
    };
    expect((await open.request({ url: url() })).body.length).toBe(1_000);
    await expect(open.request({ url: url("/bomb") })).rejects.toThrow(EgressAnswerError);
    await expect(open.request({ url: url(), maxAnswerBytes: 999 })).rejects.toThrow("too large");
    expect((await open.request({ url: url(), maxAnswerBytes: 1_000 })).body.length).toBe(1_000);
  });

  it("stops reading an endless body at the cap", async () => {
    answer = (_request, response) => {
      const more = () => {
        while (response.write(Buffer.alloc(65_536)));
      };
      response.on("drain", more);
      more();
    };
    await expect(open.request({ url: url() })).rejects.toThrow(EgressAnswerError);
  });

  it.each(["gzip", "zstd", "gzip, gzip"])("says so when a body is not the %s it claims to be", async (encoding) => {
    answer = (_request, response) => response.writeHead(200, { "content-encoding": encoding }).end("plain");
    await expect(open.request({ url: url() })).rejects.toThrow("undecodable");
  });

  it.each(["before the headers", "in the body", "in a compressed body", "drop by drop"])(
    "ends in time when the other side stalls %s",
    async (where) => {
      answer = (_request, response) => {
        if (where === "before the headers") return;
        if (where === "in a compressed body") response.setHeader("content-encoding", "gzip");
        response.write(where === "in a compressed body" ? gzipSync("x").subarray(0, 12) : "x");
        if (where !== "drop by drop") return;
        const drip = setInterval(() => response.write("x"), 20);
        response.on("close", () => clearInterval(drip));
      };
      const started = performance.now();
      await expect(open.request({ url: url(), timeoutMs: 150 })).rejects.toThrow(EgressTimeoutError);
      expect(performance.now() - started).toBeLessThan(1_500);
    },
  );

  it("ends in time when a name does not resolve for ever", async () => {
    const stuck = egress("", () => new Promise(() => undefined));
    await expect(stuck.request({ url: "http://stuck.test/", timeoutMs: 100 })).rejects.toThrow(EgressTimeoutError);
  });

  it("ends with the caller's own reason when the caller gives up", async () => {
    answer = () => undefined;
    const giveUp = new AbortController();
    const reason = new Error("no longer wanted");
    server.once("request", () => giveUp.abort(reason));
    await expect(open.request({ url: url(), signal: giveUp.signal })).rejects.toBe(reason);
  });

  it("tells unreachable from refused", async () => {
    const nothing = egress("127.0.0.1:1", async (host) => {
      if (host === "nx.test") throw Object.assign(new Error("getaddrinfo ENOTFOUND nx.test"), { code: "ENOTFOUND" });
      return [];
    });
    await expect(nothing.request({ url: "http://127.0.0.1:1/" })).rejects.toThrow(EgressUnreachableError);
    await expect(nothing.request({ url: "http://nx.test/" })).rejects.toThrow(EgressUnreachableError);
    answer = (request) => request.socket.destroy();
    await expect(open.request({ url: url() })).rejects.toThrow(EgressUnreachableError);
  });
});

describe("checkHost", () => {
  it("takes no public address where only those that the operator opened will do", async () => {
    expect(await egress("127.0.0.1:80", to("127.0.0.1")).checkHost("git.test", 80, "opened")).toEqual(["127.0.0.1"]);
    for (const addresses of [["93.184.216.34"], ["127.0.0.1", "93.184.216.34"]]) {
      await expect(egress("127.0.0.1:80", to(...addresses)).checkHost("git.test", 80, "opened")).rejects.toThrow(
        EgressRefusedError,
      );
    }
  });

  it("wants every address of a host to be allowed", async () => {
    expect(await egress("127.0.0.1:22", to("127.0.0.1")).checkHost("git.test", 22)).toEqual(["127.0.0.1"]);
    await expect(egress("", to("93.184.216.34", "10.0.0.1")).checkHost("git.test", 443)).rejects.toThrow(
      EgressRefusedError,
    );
    expect(await egress("", to("93.184.216.34")).checkHost("git.test", 443)).toEqual(["93.184.216.34"]);
    await expect(egress("", to("93.184.216.34")).checkHost("git.test", 9418)).rejects.toThrow(EgressRefusedError);
    await expect(egress("", to()).checkHost("git.test", 443)).rejects.toThrow(EgressUnreachableError);
  });

  it.each(["127.0.0.1", "::1", "localhost", "127.1", "2130706433", "0x7f.1"])("refuses %s", async (host) => {
    await expect(egress("").checkHost(host, 443)).rejects.toThrow(EgressRefusedError);
  });
});
