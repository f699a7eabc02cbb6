import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Hono } from "hono";
import { afterEach, describe, expect, it } from "vitest";
import { type Collector, startCollector } from "../../../test/support/collector.ts";
import { createLogger } from "./log.ts";
import { requestSpans } from "./requestSpans.ts";
import { currentTraceparent, withinTrace } from "./traceContext.ts";
import { openTraces, type TraceSettings } from "./traces.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const GIVEN = `00-${TRACE}-00f067aa0ba902b7-01`;

let collector: Collector | undefined;
afterEach(async () => {
  await collector?.close();
  collector = undefined;
});

const settings = (endpoint: string | undefined): TraceSettings => ({
  endpoint,
  tracesEndpoint: undefined,
  sampleRatio: 1,
});

/** Answers of an application with tracing on, and the spans that came of them. */
async function spansOf(
  requests: [path: string, init?: RequestInit][],
  { joinCallers = false, sampleRatio = 1 }: { joinCallers?: boolean; sampleRatio?: number } = {},
) {
  collector = await startCollector();
  const traces = await openTraces("api", { ...settings(collector.url), sampleRatio });
  if (traces === null) throw new Error("tracing is off");
  const app = new Hono()
    .use(requestSpans(traces.tracer, { joinCallers }))
    .get("/healthz", (c) => c.text("ok"))
    .get("/stacks/:id", (c) => c.text(currentTraceparent() ?? "none", 503))
    .post("/api/v1/runs/:id/done", (c) => c.text(currentTraceparent() ?? "none", c.req.query("foreign") ? 403 : 200))
    .get("/api/v1/runs/:id/status", (c) => c.text("running"));
  const answers: string[] = [];
  for (const [path, init] of requests) answers.push(await (await app.request(path, init)).text());
  await traces.close();
  return { answers, spans: collector.spans };
}

const bringing = (traceparent: string, method = "GET"): RequestInit => ({ method, headers: { traceparent } });

describe("a request's span", () => {
  it("tells route, status and program, and neither ids nor the query", async () => {
    const { spans, answers } = await spansOf([["/stacks/canary-id?q=canary-query"]]);
    expect(spans).toHaveLength(1);
    const [span] = spans;
    expect(span).toMatchObject({
      service: "api",
      name: "GET /stacks/:id",
      parentId: null,
      failed: true,
      attributes: { "http.route": "/stacks/:id", "http.request.method": "GET", "http.response.status_code": 503 },
    });
    expect(collector?.text()).not.toContain("canary");
    // What the handler wrote to the outbox would carry exactly this.
    expect(answers).toEqual([`00-${span?.traceId}-${span?.spanId}-01`]);
  });

  it("goes on with a runner's trace, and begins its own whatever other callers bring", async () => {
    const { spans } = await spansOf([
      ["/api/v1/runs/1/done", bringing(GIVEN, "POST")],
      ["/stacks/1", bringing(GIVEN)],
    ]);
    expect(spans.map(({ name, traceId, parentId }) => [name, traceId === TRACE, parentId])).toEqual([
      ["POST /api/v1/runs/:id/done", true, "00f067aa0ba902b7"],
      ["GET /stacks/:id", false, null],
    ]);
  });

  it("leaves nothing in a trace that one named who is no runner", async () => {
    const { spans } = await spansOf([["/api/v1/runs/1/done?foreign=1", bringing(GIVEN, "POST")]]);
    expect(spans).toEqual([]);
  });

  it("goes on with any caller's trace where that is asked for, and begins one when what came is malformed", async () => {
    const { spans } = await spansOf(
      [
        ["/stacks/1", bringing(GIVEN)],
        ["/stacks/1", bringing("00-zz-zz-01")],
      ],
      { joinCallers: true },
    );
    expect(spans.map(({ traceId }) => traceId === TRACE)).toEqual([true, false]);
  });

  it("is not made for what comes every few seconds", async () => {
    const { spans } = await spansOf([["/healthz"], ["/api/v1/runs/1/status", bringing(GIVEN)]]);
    expect(spans).toEqual([]);
  });

  it("is not sent when its trace is not kept, and then says so to whoever goes on with it", async () => {
    const { spans, answers } = await spansOf([["/stacks/1"]], { sampleRatio: 0 });
    expect(spans).toEqual([]);
    expect(answers[0]).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  });
});

it("marks a log line with the trace it belongs to, and no other line", async () => {
  collector = await startCollector();
  const traces = await openTraces("api", settings(collector.url));
  const lines: string[] = [];
  const log = createLogger("info", "api", { write: (line) => lines.push(line) });
  withinTrace(GIVEN, () => log.child({ request_id: "r1" }).info("inside"));
  log.info("outside");
  await traces?.close();
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ trace_id: TRACE, span_id: "00f067aa0ba902b7", msg: "inside" });
  expect(lines[1]).not.toContain("trace_id");
});

it("closes in time, and says once that spans were lost, when the collector takes nothing", async () => {
  collector = await startCollector({ silent: true });
  const lost: unknown[] = [];
  const traces = await openTraces("api", settings(collector.url), { onError: (error) => void lost.push(error) });
  traces?.tracer.startSpan("x").end();
  const began = performance.now();
  await traces?.close(300);
  expect(performance.now() - began).toBeLessThan(2_000);

  const away = await openTraces("api", settings("http://127.0.0.1:9"), { onError: (error) => void lost.push(error) });
  for (let i = 0; i < 2_000; i++) away?.tracer.startSpan("x").end();
  await away?.close(10_000);
  expect(lost).toHaveLength(1);
});

it("loads the SDK only when a collector is named", async () => {
  const module = fileURLToPath(new URL("./traces.ts", import.meta.url));
  const script = `const { openTraces } = await import(${JSON.stringify(module)});
    const traces = await openTraces("api", { endpoint: process.argv[1], sampleRatio: 1 });
    const { createRequire } = await import("node:module");
    const loaded = Object.keys(createRequire(${JSON.stringify(module)}).cache).filter((f) => f.includes("@opentelemetry/"));
    console.log(traces === null, loaded.filter((f) => !f.includes("@opentelemetry/api/")).length);
    await traces?.close();`;
  const loaded = async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, ...args])).stdout.trim();
  expect(await loaded()).toBe("true 0");
  expect(await loaded("http://127.0.0.1:9")).toMatch(/^false [1-9]/);
});
