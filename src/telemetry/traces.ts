/** OpenTelemetry spans of requests, sent to the operator's own collector. Off, and not even loaded, unless a collector is named. */
import type { MiddlewareHandler } from "hono";
import { routePath } from "hono/route";

export type Traces = {
  /** A span per request, named by its route template: no ids, no query. */
  request: MiddlewareHandler;
  /** Send what is left. A collector that is away keeps nobody from stopping. */
  close(): Promise<void>;
};

/** OpenTelemetry's numbers, which its own enums would make us load it for. */
const SERVER = 1;
const ERROR = 2;

/**
 * Start tracing when one of the standard variables `OTEL_EXPORTER_OTLP_ENDPOINT` and `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` is
 * set; null otherwise. The SDK reads the other `OTEL_*` variables itself.
 */
export async function openTraces(program: string, env: NodeJS.ProcessEnv = process.env): Promise<Traces | null> {
  const wanted = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!wanted || env.OTEL_SDK_DISABLED?.toLowerCase() === "true") return null;
  const [sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import("@opentelemetry/sdk-trace-node"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  const provider = new sdk.NodeTracerProvider({
    resource: resourceFromAttributes({ "service.name": env.OTEL_SERVICE_NAME || `svc-${program}` }),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer("svc");
  return {
    async request(c, next) {
      const { method } = c.req;
      const span = tracer.startSpan(method, { kind: SERVER, attributes: { "http.request.method": method } });
      try {
        await next();
      } finally {
        const template = routePath(c, -1);
        const route = template.includes("*") ? "none" : template;
        span.updateName(`${method} ${route}`);
        span.setAttributes({ "http.route": route, "http.response.status_code": c.res.status });
        if (c.res.status >= 500) span.setStatus({ code: ERROR });
        span.end();
      }
    },
    close: () => provider.shutdown().catch(() => {}),
  };
}
