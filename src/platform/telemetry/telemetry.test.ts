import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { healthRoutes } from "./health.ts";
import { auditLogger, createLogger } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { requestDuration } from "./requestDuration.ts";

function capture(level: "info" | "error" | "silent" = "info") {
  const lines: string[] = [];
  const logger = createLogger(level, "api", { write: (line) => lines.push(line) });
  return { logger, lines, last: () => JSON.parse(lines.at(-1) ?? "null") as Record<string, unknown> };
}

describe("the log", () => {
  it("is JSON lines with level names, times and the program", () => {
    const { logger, last } = capture();
    logger.child({ request_id: "r1" }).info({ run_id: "7" }, "claimed");
    expect(last()).toMatchObject({ level: "info", program: "api", request_id: "r1", run_id: "7", msg: "claimed" });
    expect(last().time).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it("never writes what a secret's name holds, three levels deep", () => {
    const { logger, lines } = capture();
    const secrets = { token: "hunter2", private_key: "hunter2", authorization: "Bearer hunter2", script: "hunter2" };
    logger.info({ ...secrets, one: secrets, two: { deeper: secrets } }, "x");
    expect(lines.join()).not.toContain("hunter2");
  });

  it("keeps class, code, call sites and causes of an error, but neither parameters nor addresses", () => {
    const { logger, lines, last } = capture();
    const driver = Object.assign(new Error('invalid input syntax for type uuid: "hunter2"'), {
      name: "PostgresError",
      code: "22P02",
      parameters: ["hunter2"],
    });
    const wrapper = Object.assign(new Error("Failed query: select $1\nparams: hunter2", { cause: driver }), {
      query: "select $1",
      params: ["hunter2"],
    });
    logger.error({ err: wrapper }, "failed");
    logger.error({ err: new Error("clone of https://x:hunter2@git.example.com/a?b=hunter2 failed") }, "failed");
    logger.error({ err: "hunter2" }, "failed");
    expect(lines.join()).not.toContain("hunter2");
    const first = JSON.parse(lines[0] ?? "null");
    expect(first.err).toMatchObject({ message: "a query failed", cause: { type: "PostgresError", code: "22P02" } });
    expect(first.err.stack).toContain("telemetry.test.ts");
    expect(last().err).toMatchObject({ type: "string" });
  });

  it.each(["error", "silent"] as const)("writes the audit channel also at level %s", (level) => {
    const { logger, lines, last } = capture(level);
    logger.info("quiet");
    auditLogger(logger).info({ action: "confirmed_apply" }, "audit");
    expect(lines).toHaveLength(1);
    expect(last()).toMatchObject({ channel: "deployment-audit", action: "confirmed_apply" });
  });
});

describe("health", () => {
  const { registry, runDispatch } = createMetrics();

  it("is alive whatever its checks say, and ready only when all pass", async () => {
    let up = false;
    const app = healthRoutes(
      { database: async () => undefined, temporal: () => (up ? Promise.resolve() : Promise.reject(new Error("x"))) },
      registry,
    );
    expect((await app.request("/healthz")).status).toBe(200);
    const refused = await app.request("/readyz");
    expect(refused.status).toBe(503);
    expect(await refused.json()).toEqual({ status: "unavailable", checks: { database: "ok", temporal: "failed" } });
    up = true;
    expect((await app.request("/readyz")).status).toBe(200);
  });

  it("does not wait for a check that hangs, and survives one that throws at once", async () => {
    const broken = () => {
      throw new Error("secret");
    };
    const app = healthRoutes({ hangs: () => new Promise(() => undefined), broken }, registry, 30);
    const answer = await app.request("/readyz");
    expect(await answer.json()).toEqual({ status: "unavailable", checks: { hangs: "failed", broken: "failed" } });
  });

  it("shows metrics in Prometheus's format", async () => {
    runDispatch.inc({ outcome: "limited" });
    const answer = await healthRoutes({}, registry).request("/metrics");
    expect(answer.headers.get("content-type")).toContain("text/plain");
    expect(await answer.text()).toContain('svc_org_run_dispatch_total{outcome="limited"} 1');
  });
});

describe("metrics", () => {
  it.each([
    ["svc_sso_oidc_discovery_requests", ["outcome"]],
    ["svc_sso_oidc_discovery_duration_seconds", []],
    ["svc_org_seat_denials", ["org", "source"]],
    ["svc_dispatch_batch_saturated", []],
    ["svc_dispatch_oldest_dispatchable_age_seconds", []],
    ["svc_org_run_dispatch_total", ["outcome"]],
    ["svc_dependency_budget", ["budget"]],
    ["svc_dependency_usage", ["org", "budget"]],
  ])("%s is there with its labels", (name, labels) => {
    const metric = createMetrics().registry.getSingleMetric(name) as { labelNames?: string[] } | undefined;
    expect(metric?.labelNames).toEqual(labels);
  });
});

describe("request duration", () => {
  it("is counted by route template and status, never by path", async () => {
    const metrics = createMetrics();
    const app = new Hono();
    app.use(requestDuration(metrics));
    app.onError((_error, c) => c.text("x", 500));
    app.get("/orgs/:org_id", (c) => c.text(c.req.param("org_id")));
    app.get("/broken/:id", () => {
      throw new Error("x");
    });
    await app.request("/orgs/acme");
    await app.request("/broken/acme");
    await app.request("/nowhere/acme");
    const text = await metrics.registry.metrics();
    expect(text).toContain(
      'svc_http_request_duration_seconds_count{method="GET",route="/orgs/:org_id",status="200"} 1',
    );
    expect(text).toContain('svc_http_request_duration_seconds_count{method="GET",route="/broken/:id",status="500"} 1');
    expect(text).toContain('svc_http_request_duration_seconds_count{method="GET",route="none",status="404"} 1');
    expect(text).not.toContain("acme");
  });
});
