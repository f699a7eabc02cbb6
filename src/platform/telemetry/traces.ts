/** OpenTelemetry spans, sent to the operator's own collector. Off, and the SDK not even loaded, unless one is named. */
import type { Tracer } from "@opentelemetry/api";
import type { Logger } from "pino";
import packageFile from "../../../package.json" with { type: "json" };
import { withoutEndSlash } from "../settings/endSlash.ts";
import { seldom } from "./seldom.ts";

export type TraceSettings = {
  /** The collector's address; `/v1/traces` is added. */
  endpoint: string | undefined;
  /** The full address for traces, before `endpoint`. */
  tracesEndpoint: string | undefined;
  /** Of the traces that begin here, the part that is kept, 0 to 1; others are kept if they are where they began. */
  sampleRatio: number;
};

export type Traces = {
  tracer: Tracer;
  /** Send what is left, for at most `waitMs`. Never throws: a collector that is away keeps nobody from stopping. */
  close(waitMs?: number): Promise<void>;
};

export type TraceOptions = {
  /** Spans were lost; at most one in a minute is told. */
  onError?: (error: unknown) => void;
  env?: NodeJS.ProcessEnv;
};

/** One export, its retries included; meanwhile spans wait in a queue that drops what is beyond 2,048. */
const EXPORT_MS = 3_000;
const CLOSE_MS = 2_000;
const QUIET_MS = 60_000;

/**
 * Start tracing when a collector is named; null otherwise. The exporter reads its other `OTEL_EXPORTER_OTLP_*`
 * variables itself.
 */
export async function openTraces(
  program: "api" | "worker" | "runner",
  settings: TraceSettings,
  { onError = () => {}, env = process.env }: TraceOptions = {},
): Promise<Traces | null> {
  const url = collectorUrl(settings);
  if (url === null) return null;
  const [sdk, { OTLPTraceExporter }, resources, core] = await Promise.all([
    import("@opentelemetry/sdk-trace-node"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/core"),
  ]);
  const lost = seldom(onError, QUIET_MS);
  core.setGlobalErrorHandler(lost);
  const own = { "service.name": env.OTEL_SERVICE_NAME || program, "service.version": packageFile.version };
  const provider = new sdk.NodeTracerProvider({
    // The first names what the operator adds by OTEL_RESOURCE_ATTRIBUTES.
    resource: resources
      .detectResources({ detectors: [resources.envDetector] })
      .merge(resources.resourceFromAttributes(own)),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(settings.sampleRatio) }),
    spanProcessors: [
      new sdk.BatchSpanProcessor(new OTLPTraceExporter({ url, timeoutMillis: EXPORT_MS }), {
        exportTimeoutMillis: EXPORT_MS,
      }),
    ],
  });
  // For the whole process: what is active in an asynchronous call, and W3C's header alone, since baggage could carry
  // anything. API and worker in one process share them; the second call changes nothing.
  provider.register({ propagator: new core.W3CTraceContextPropagator() });
  return {
    tracer: provider.getTracer("svc"),
    async close(waitMs = CLOSE_MS) {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, waitMs);
      await Promise.race([provider.shutdown().catch(lost), late.promise]);
      clearTimeout(timer);
    },
  };
}

/** Tells of lost spans in the program's log. */
export function lostSpans(log: Logger): TraceOptions {
  return { onError: (error) => log.warn({ err: error }, "spans could not be sent to the trace collector") };
}

function collectorUrl({ endpoint, tracesEndpoint }: TraceSettings): string | null {
  if (tracesEndpoint !== undefined) return tracesEndpoint;
  return endpoint === undefined ? null : `${withoutEndSlash(endpoint)}/v1/traces`;
}
