import { type Env, Hono } from "hono";
import type { MetricsSource } from "./scrape.ts";

/** One thing a program needs in order to serve; resolves when it is there. */
export type ReadinessCheck = () => Promise<unknown>;

const CHECK_TIMEOUT_MS = 2_000;

/** `/healthz`, which may be anybody's to ask: it says that the process answers, and nothing else. */
export function livenessRoute<E extends Env>(app: Hono<E>): void {
  app.get("/healthz", (c) => c.json({ status: "ok" }));
}

/**
 * `/healthz`: the process answers. `/readyz`: it can serve, which is what a load balancer asks; every check has a time
 * limit, and the answer names which failed but not why. `/metrics`: for Prometheus.
 */
export function healthRoutes(
  checks: Record<string, ReadinessCheck>,
  source: MetricsSource,
  timeoutMs: number = CHECK_TIMEOUT_MS,
): Hono {
  const app = new Hono();
  livenessRoute(app);
  app.get("/readyz", async (c) => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await passes(check, timeoutMs)] as const),
    );
    const ready = results.every(([, passed]) => passed);
    const named = Object.fromEntries(results.map(([name, passed]) => [name, passed ? "ok" : "failed"]));
    return c.json({ status: ready ? "ok" : "unavailable", checks: named }, ready ? 200 : 503, {
      "cache-control": "no-store",
    });
  });
  app.get("/metrics", async (c) => c.body(await source.metrics(), 200, { "content-type": source.contentType }));
  return app;
}

async function passes(check: ReadinessCheck, timeoutMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), timeoutMs);
  try {
    // The call itself is inside, so that a check that throws at once counts as failed too.
    const passed = (async () => check())().then(
      () => true,
      () => false,
    );
    return await Promise.race([passed, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
