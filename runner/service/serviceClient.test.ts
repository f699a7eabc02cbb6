import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServiceClient, ServiceRefused, ServiceUnreachable } from "./serviceClient.ts";

const scratch = mkdtempSync(path.join(tmpdir(), "client-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const OPTIONS = { timeoutMs: 10_000 };

let server: Server;
let client: ServiceClient;
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;
let connections = 0;

beforeEach(async () => {
  connections = 0;
  server = createServer((request, response) => void answer(request, response));
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  client = new ServiceClient(
    `http://127.0.0.1:${port}`,
    () => "the-token",
    () => ({ traceparent: "00-1-2-01" }),
  );
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

function file(name: string, content: string | Buffer): string {
  const place = path.join(scratch, name);
  writeFileSync(place, content);
  return place;
}

function json(status: number, body: object, headers: Record<string, string> = {}) {
  answer = (_request, response) => response.writeHead(status, headers).end(JSON.stringify(body));
}

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );

describe("a call", () => {
  test("carries token and trace, and gives status and body", async () => {
    answer = async (request, response) => {
      const { authorization, traceparent, ...headers } = request.headers;
      const body = await text(request);
      const seen = { url: request.url, authorization, traceparent, type: headers["content-type"], body };
      response.end(JSON.stringify(seen));
    };
    const { status, body } = await client.call("POST", "runs/1/done?x=y", { ...OPTIONS, json: { fine: "ü" } });
    expect(status).toBe(200);
    expect(body).toEqual({
      url: "/api/v1/runs/1/done?x=y",
      authorization: "Bearer the-token",
      traceparent: "00-1-2-01",
      type: "application/json",
      body: '{"fine":"ü"}',
    });
  });

  test("sends a file as it is, small or large, and says its length before", async () => {
    answer = async (request, response) => {
      const length = (await text(request)).length;
      response.end(JSON.stringify([request.headers["content-type"], request.headers["content-length"], length]));
    };
    for (const size of [0, 10, 65_536, 3_000_000]) {
      const bytes = { file: file("sent", "x".repeat(size)) };
      const { body } = await client.call("PUT", "artifact", { ...OPTIONS, bytes });
      expect(body).toEqual(["application/octet-stream", String(size), size]);
    }
  });

  test("uses one connection for calls one after another, also after a refusal", async () => {
    json(409, { code: "no" });
    for (let i = 0; i < 3; i += 1) await failureOf(client.call("POST", "x", { ...OPTIONS, json: {} }));
    json(200, {});
    await client.call("GET", "x", OPTIONS);
    expect(connections).toBe(1);
  });

  test("says when to come again", async () => {
    answer = (_request, response) => response.writeHead(204, { "retry-after": "7" }).end();
    expect(await client.call("GET", "poll", OPTIONS)).toEqual({ status: 204, retryAfterMs: 7_000, body: null });
  });
});

describe("what goes wrong", () => {
  test("is a refusal with its code when the service says no", async () => {
    json(404, { code: "run_not_found", detail: "There is no such run." });
    const error = await failureOf(client.call("GET", "runs/1/status?secret=1", OPTIONS));
    expect(error).toBeInstanceOf(ServiceRefused);
    expect(error).toMatchObject({ status: 404, code: "run_not_found" });
    expect(String(error)).toBe("ServiceRefused: GET runs/1/status: 404 run_not_found: There is no such run.");
  });

  test.each([429, 500, 503])("is no usable answer with status %i", async (status) => {
    json(status, { code: "later" }, { "retry-after": "2" });
    const error = await failureOf(client.call("GET", "x", OPTIONS));
    expect(error).toBeInstanceOf(ServiceUnreachable);
    expect(error).toMatchObject({ code: "later", retryAfterMs: 2_000 });
  });

  test("is no usable answer either when it leads elsewhere, where no token goes", async () => {
    const seen: (string | undefined)[] = [];
    answer = (request, response) => {
      seen.push(request.url);
      response.writeHead(302, { location: "/elsewhere" }).end("moved");
    };
    expect(await failureOf(client.call("GET", "x", OPTIONS))).toBeInstanceOf(ServiceUnreachable);
    expect(seen).toEqual(["/api/v1/x"]);
  });

  test.each([
    ["ends in the middle", "ECONNRESET"],
    ["is no JSON", "JSON"],
  ])("is no usable answer when it %s", async (how, reason) => {
    answer = (_request, response) => {
      if (how === "is no JSON") return response.end("<html>");
      response.writeHead(200, { "content-length": "100" }).write("{");
      return setImmediate(() => response.destroy());
    };
    const error = await failureOf(client.call("GET", "x", OPTIONS));
    expect(error).toBeInstanceOf(ServiceUnreachable);
    expect(String(error)).toContain(reason);
  });

  test("is named when nobody is there", async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    await closed;
    expect(String(await failureOf(client.call("GET", "x", OPTIONS)))).toContain("GET x: ECONNREFUSED");
  });

  test.each(["before", "within"])("ends in time when the service falls silent %s its answer", async (when) => {
    answer = (_request, response) => {
      if (when === "within") response.writeHead(200, { "content-length": "100" }).write("{");
    };
    const error = await failureOf(client.call("GET", "x", { timeoutMs: 50 }));
    expect(error).toBeInstanceOf(ServiceUnreachable);
    expect(String(error)).toContain("no answer within 50 ms");
  });

  test("ends at once when the caller gives up", async () => {
    const giveUp = new AbortController();
    answer = () => giveUp.abort();
    const error = await failureOf(client.call("GET", "x", { ...OPTIONS, signal: giveUp.signal }));
    expect(error).toBeInstanceOf(ServiceUnreachable);
    expect(await failureOf(client.call("GET", "x", { ...OPTIONS, signal: giveUp.signal }))).toBeInstanceOf(
      ServiceUnreachable,
    );
  });

  test("is what the service says when it does not wait for the end of an upload", async () => {
    answer = (_request, response) => {
      response.writeHead(413, { connection: "close" }).end(JSON.stringify({ code: "too_large" }));
    };
    const bytes = { file: file("large", Buffer.alloc(30_000_000)) };
    expect(await failureOf(client.call("PUT", "x", { ...OPTIONS, bytes }))).toMatchObject({
      status: 413,
      code: "too_large",
    });
  });

  test("is a file that cannot be read", async () => {
    json(200, {});
    const error = await failureOf(client.call("PUT", "x", { ...OPTIONS, bytes: { file: path.join(scratch, "none") } }));
    expect(String(error)).toContain("ENOENT");
  });
});

describe("a download", () => {
  test("arrives in its file, with its length and digest", async () => {
    answer = (_request, response) => response.end("the plan");
    const place = path.join(scratch, "plan");
    const sha256 = "aab8f06fecd1c041e9a3d5a86114f9e522b546918db8503a045fe4a423b3642a";
    expect(await client.download("plan", place, 100, OPTIONS)).toEqual({ bytes: 8, sha256 });
    expect(readFileSync(place, "utf8")).toBe("the plan");
  });

  test("that is longer than allowed is refused", async () => {
    answer = (_request, response) => response.end("x".repeat(1_000_000));
    const error = await failureOf(client.download("plan", path.join(scratch, "long"), 1_000, OPTIONS));
    expect(error).toMatchObject({ status: 413 });
  });
});
