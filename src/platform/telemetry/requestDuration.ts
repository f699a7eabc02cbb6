import type { MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import type { Metrics } from "./metrics.ts";

/** Measures each request under its route template: a label holding real paths would grow with every id. */
export function requestDuration(metrics: Pick<Metrics, "requestDuration">): MiddlewareHandler {
  return async (c, next) => {
    const done = metrics.requestDuration.startTimer({ method: c.req.method });
    try {
      await next();
    } finally {
      const template = routePath(c, -1);
      done({ route: template.includes("*") ? "none" : template, status: c.res.status });
    }
  };
}
