/** A span for each request, named by its route template: no ids, no query, nothing else of what the caller sent. */
import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import type { MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { contextOf } from "./traceContext.ts";

/** What only a runner can call, with a token of its group. */
const RUNNERS = /^\/api\/v1\/(?:runs|runners|runner-groups)\//;

/**
 * They come every few seconds from each runner and each load balancer, and say nothing about any one request of a
 * person.
 */
const QUIET =
  /^\/(?:healthz|readyz|metrics)$|^\/api\/v1\/(?:runner-groups\/(?:poll|heartbeat)|runs\/[^/]+\/(?:status|logs\/live))$/;

/**
 * Runners' calls go on with the trace they name; other callers' only with `joinCallers`, since whoever may name a trace
 * decides that it is kept, and puts spans into any whose id is known.
 */
export function requestSpans(tracer: Tracer, { joinCallers }: { joinCallers: boolean }): MiddlewareHandler {
  return async (c, next) => {
    const { method, path } = c.req;
    if (QUIET.test(path)) return next();
    const isRunners = RUNNERS.test(path);
    const header = isRunners || joinCallers ? c.req.header("traceparent") : undefined;
    const parent = header === undefined ? ROOT_CONTEXT : contextOf(header);
    const span = tracer.startSpan(
      method,
      { kind: SpanKind.SERVER, attributes: { "http.request.method": method } },
      parent,
    );
    try {
      await context.with(trace.setSpan(parent, span), next);
    } finally {
      const { status } = c.res;
      const template = routePath(c, -1);
      const route = template.includes("*") ? "none" : template;
      span.updateName(`${method} ${route}`);
      span.setAttributes({ "http.route": route, "http.response.status_code": status });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      // One who only claimed to be a runner leaves nothing in the trace it named.
      const isPretender = isRunners && header !== undefined && (status === 401 || status === 403);
      if (!isPretender) span.end();
    }
  };
}
