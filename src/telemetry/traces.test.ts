import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Hono } from "hono";
import { afterEach, expect, it, vi } from "vitest";
import { openTraces } from "./traces.ts";

afterEach(() => vi.unstubAllEnvs());

it("sends a span per request, without ids or the query", async () => {
  const bodies: string[] = [];
  const collector = createServer(async (request, response) => {
    bodies.push(`${request.url} ${Buffer.concat(await request.toArray()).toString("utf8")}`);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((listening) => collector.listen(0, "127.0.0.1", listening));
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", `http://127.0.0.1:${(collector.address() as AddressInfo).port}`);
  const traces = await openTraces("api");
  if (traces === null) throw new Error("tracing is off");
  const app = new Hono().use(traces.request).get("/stacks/:id", (c) => c.text("gone", 503));
  await app.request("/stacks/canary-id?q=canary-query");
  await traces.close();
  await new Promise((closed) => collector.close(closed));
  expect(bodies).toHaveLength(1);
  expect(bodies[0]).toMatch(/^\/v1\/traces /);
  for (const part of ["svc-api", "GET /stacks/:id", "503"]) expect(bodies[0]).toContain(part);
  expect(bodies[0]).not.toContain("canary");
});

it("loads nothing unless a collector is named", async () => {
  const module = fileURLToPath(new URL("./traces.ts", import.meta.url));
  const script = `const { openTraces } = await import(${JSON.stringify(module)});
    await openTraces("api");
    const { createRequire } = await import("node:module");
    console.log(Object.keys(createRequire(${JSON.stringify(module)}).cache).filter((f) => f.includes("@opentelemetry")).length);`;
  const loaded = async (env: object) =>
    Number(
      (
        await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
          env: { PATH: process.env.PATH, ...env },
        })
      ).stdout,
    );
  expect(await loaded({})).toBe(0);
  expect(await loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" })).toBeGreaterThan(0);
});
