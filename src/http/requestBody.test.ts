import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import { createAdaptorServer, type ServerType } from "@hono/node-server";
import { Hono } from "hono";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { problemResponse } from "../platform/problems/problem.ts";
import { bodyStream } from "./requestBody.ts";
import { unknownFields, validated } from "./validated.ts";
import { refuseNulInUrl, validBody, validQuery } from "./validRequest.ts";

const CAP = 1_000;
const Body = v.strictObject({
  mode: v.picklist(["plan", "destroy"]),
  targets: v.optional(v.array(v.pipe(v.string(), v.maxLength(10)))),
  id: v.optional(v.pipe(v.string(), v.uuid())),
  inner: v.optional(v.strictObject({ a: v.string() })),
});

let handled = 0;
const app = new Hono()
  .use(refuseNulInUrl())
  .onError((error) => problemResponse(error, "r1"))
  .post("/json", async (c) => {
    const body = await validBody(c.req.raw, Body, { maxBytes: CAP });
    handled++;
    return c.json(body);
  })
  .post("/optional", async (c) =>
    c.json(await validBody(c.req.raw, v.strictObject({ force: v.optional(v.boolean(), false) }))),
  )
  .get("/list", (c) => c.json(validQuery(c, v.strictObject({ sort: v.optional(v.picklist(["id", "name"]), "id") }))))
  .get("/things/:id", (c) => c.text(c.req.param("id")))
  .put("/bytes", async (c) => {
    let size = 0;
    for await (const chunk of bodyStream(c.req.raw, 100_000)) size += chunk.length;
    return c.json({ size });
  });

let server: ServerType;
let base: string;
beforeAll(async () => {
  server = createAdaptorServer({ fetch: app.fetch });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await once(server, "close");
});

type Answer = { status: number; body: Record<string, unknown> };

async function post(
  path: string,
  body: string | Buffer | ReadableStream | null,
  contentType = "application/json",
): Promise<Answer> {
  const headers = { "content-type": contentType };
  const answer = await fetch(base + path, { method: "POST", headers, body, duplex: "half" } as RequestInit);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** Writes exactly these bytes and gives back everything the server says until it hangs up. */
async function raw(...parts: (string | Buffer)[]): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  // The server may hang up while we are still writing; what it said before counts.
  socket.on("error", () => undefined);
  for (const part of parts) socket.write(part);
  return readText(socket);
}

const head = (...lines: string[]) => ["POST /json HTTP/1.1", "Host: x", ...lines, "", ""].join("\r\n");

describe("a JSON body", () => {
  it("is given to the route as the schema reads it", async () => {
    expect(await post("/json", '{"mode":"plan"}')).toEqual({ status: 200, body: { mode: "plan" } });
    expect((await post("/json", '{"mode":"plan"}', 'Application/JSON; charset="UTF-8"')).status).toBe(200);
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json; charset=latin1",
    "application/jsonp",
    "",
  ])("sent as %j is 415", async (type) => {
    expect(await post("/json", '{"mode":"plan"}', type)).toMatchObject({
      status: 415,
      body: { code: "unsupported_media_type" },
    });
  });

  it("that is compressed is 415", async () => {
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    expect((await fetch(`${base}/json`, { method: "POST", headers, body: "x" })).status).toBe(415);
  });

  it.each([
    ["cut", '{"mode":"pl'],
    ["trailing", '{"mode":"plan"}}'],
    ["single quotes", "{'mode':'secret'}"],
    ["bytes that are no UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    ["nested too deep", `${"[".repeat(400)}${"]".repeat(400)}`],
  ])("that is %s is 400 and not quoted back", async (_what, body) => {
    const answer = await post("/json", body);
    expect(answer).toMatchObject({ status: 400, body: { code: "malformed_request" } });
    expect(JSON.stringify(answer)).not.toContain("secret");
  });

  it("may be left out where nothing is required", async () => {
    expect(await post("/optional", null)).toEqual({ status: 200, body: { force: false } });
    expect(await post("/json", null)).toMatchObject({
      status: 422,
      body: { errors: [{ field: "mode", message: "is required" }] },
    });
  });
});

describe("the cap", () => {
  const padded = (bytes: number) => `{"mode":"plan"${" ".repeat(bytes - 15)}}`;

  it("lets exactly that many bytes through, and no byte more, with a length or without", async () => {
    const chunked = (text: string) => new Blob([text]).stream();
    expect((await post("/json", padded(CAP))).status).toBe(200);
    expect((await post("/json", padded(CAP + 1))).status).toBe(413);
    expect((await post("/json", chunked(padded(CAP)))).status).toBe(200);
    expect((await post("/json", chunked(padded(CAP + 1)))).status).toBe(413);
  });

  it("answers a declared length over the cap before a single byte of the body came", async () => {
    const before = handled;
    const answer = await raw(head("Content-Type: application/json", "Content-Length: 5000000", "Connection: close"));
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(handled).toBe(before);
  });

  it("answers a chunked body that never ends as soon as it is passed, and hangs up", async () => {
    const chunk = `400\r\n${" ".repeat(1_024)}\r\n`;
    const answer = await raw(head("Content-Type: application/json", "Transfer-Encoding: chunked"), chunk, chunk);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"code":"payload_too_large"');
  });

  it("holds for streamed bodies too", async () => {
    const put = (bytes: number, chunked: boolean) => {
      const body = chunked ? new Blob([Buffer.alloc(bytes)]).stream() : Buffer.alloc(bytes);
      return fetch(`${base}/bytes`, { method: "PUT", body, duplex: "half" } as RequestInit);
    };
    expect(await (await put(100_000, true)).json()).toEqual({ size: 100_000 });
    expect((await put(100_001, true)).status).toBe(413);
    expect((await put(100_001, false)).status).toBe(413);
    expect(await (await put(0, false)).json()).toEqual({ size: 0 });
  });
});

describe("a request whose length is ambiguous", () => {
  it.each([
    ["a length and chunks", ["Content-Length: 4", "Transfer-Encoding: chunked"]],
    ["chunks and a length", ["Transfer-Encoding: chunked", "Content-Length: 4"]],
    ["two lengths", ["Content-Length: 15", "Content-Length: 16"]],
    ["a length that is no number", ["Content-Length: 15x"]],
    ["chunks in disguise", ["Transfer-Encoding: xchunked"]],
    ["a space before the colon", ["Transfer-Encoding : chunked"]],
  ])("by %s is 400 and reaches no route", async (_what, lines) => {
    const before = handled;
    const answer = await raw(head("Content-Type: application/json", ...lines), '{"mode":"plan"}\r\n0\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(handled).toBe(before);
  });
});

describe("refused values", () => {
  const refused = async (value: unknown) => {
    const { status, body } = await post("/json", JSON.stringify(value));
    expect([status, body.code]).toEqual([422, "invalid_value"]);
    expect(JSON.stringify(body)).not.toContain("hunter2");
    return body.errors;
  };

  it("name the field and what is allowed, never the value", async () => {
    expect(await refused({ mode: "hunter2" })).toEqual([
      { field: "mode", message: "is not one of the allowed values", allowed: ["plan", "destroy"] },
    ]);
    expect(await refused({ mode: "plan", targets: ["ok", "hunter2hunter2"], id: "hunter2" })).toEqual([
      { field: "targets.1", message: "Invalid length: Expected <=10" },
      { field: "id", message: "Invalid UUID" },
    ]);
    expect(await refused("hunter2")).toMatchObject([{ field: "body" }]);
    expect(await refused(null)).toMatchObject([{ field: "body" }]);
  });

  it("include a misspelt field, at any depth", async () => {
    expect(await refused({ mode: "plan", exclude: ["hunter2"] })).toEqual([
      { field: "exclude", message: "is not a known field" },
    ]);
    expect(await refused({ mode: "plan", inner: { a: "x", b: 1 } })).toMatchObject([{ field: "inner.b" }]);
    expect((await post("/json", '{"mode":"plan","__proto__":{"x":1}}')).status).toBe(422);
  });

  it("include text that the database cannot store", async () => {
    for (const text of ["a\0b", "\ud800"]) {
      expect(await refused({ mode: "plan", targets: ["ok", text] })).toMatchObject([{ field: "targets.1" }]);
    }
    expect(await refused({ mode: "plan", "x\0": 1 })).toMatchObject([{ field: "body" }]);
  });

  it("are at most fifty", async () => {
    const errors = await refused({ mode: "plan", targets: new Array(100).fill(1) });
    expect(errors).toHaveLength(50);
  });
});

describe("addresses", () => {
  it("have their query checked like a body, and no parameter twice", async () => {
    const get = async (path: string) => (await fetch(base + path)).status;
    expect(await (await fetch(`${base}/list`)).json()).toEqual({ sort: "id" });
    expect(await get("/list?sort=name")).toBe(200);
    expect(await get("/list?sort=age")).toBe(422);
    expect(await get("/list?srot=name")).toBe(422);
    expect(await get("/list?sort=name&sort=id")).toBe(400);
  });

  it("with NUL are 400, before any route", async () => {
    expect((await fetch(`${base}/things/a%00b`)).status).toBe(400);
    expect((await fetch(`${base}/list?sort=%00`)).status).toBe(400);
    expect((await fetch(`${base}/things/a%20b`)).status).toBe(200);
  });
});

describe("schemas", () => {
  it("tell which fields a runner sent beyond them", () => {
    const known = v.object({ a: v.string() });
    expect(unknownFields(known, { a: "x", b: 1, toString: 2 })).toEqual(["b", "toString"]);
    expect(unknownFields(known, "x")).toEqual([]);
    expect(validated(known, { a: "x", b: 1 })).toEqual({ a: "x" });
  });
});
