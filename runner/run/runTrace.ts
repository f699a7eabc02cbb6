import type { RunContext } from "../../src/core/runs/protocol.ts";
import type { RunSettings } from "../config/config.ts";

/** At the end of its run a runner waits no longer than this for its collector; the run was reported before. */
const CLOSE_MS = 1_000;

type Attributes = Record<string, string | number | boolean>;
type Loaded = NonNullable<Awaited<ReturnType<typeof load>>>;

/**
 * The spans of one run: a part of the trace that made it, when this runner has a collector and the service keeps
 * traces; nothing otherwise. Whatever becomes of spans, the run goes on. A span holds names, ids and sizes, and neither
 * arguments nor output.
 */
export class RunTrace {
  readonly #loading: Promise<Loaded | null>;
  /** Set once the run is known to be a part of a trace. */
  #spans: Loaded | null = null;

  /** Loads what it takes while the runner is still asking for its run. `onError`: spans were lost. */
  constructor(settings: Pick<RunSettings, "otlpEndpoint" | "otlpTracesEndpoint">, onError: (error: unknown) => void) {
    this.#loading = load(settings, onError).catch(() => null);
  }

  /** The span of the whole run; every step inside of `work` is a part of it. */
  async run<T>({ traceparent, run, deployment, stack }: RunContext, work: () => Promise<T>): Promise<T> {
    const loaded = traceparent === undefined ? null : await this.#loading;
    if (loaded === null) return work();
    this.#spans = loaded;
    const attributes = {
      "svc.organization.id": run.org_id,
      "svc.deployment.id": deployment.id,
      "svc.run.id": run.id,
      "svc.run.kind": run.kind,
      "svc.tool": stack.tool,
    };
    return loaded.withinTrace(traceparent, () => this.step(`run ${run.kind}`, work, attributes));
  }

  /** A span around `work`. */
  async step<T>(name: string, work: () => Promise<T>, attributes: Attributes = {}): Promise<T> {
    if (this.#spans === null) return work();
    const { traces, SpanStatusCode } = this.#spans;
    return traces.tracer.startActiveSpan(name, { attributes }, async (span) => {
      try {
        return await work();
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttribute("error.type", error instanceof Error ? error.name : typeof error);
        throw error;
      } finally {
        span.end();
      }
    });
  }

  /** How the run ended, on the present span, which is that of the run. */
  outcome(status: string): void {
    const span = this.#spans?.trace.getActiveSpan();
    span?.setAttribute("svc.run.status", status);
    if (this.#spans && status !== "success") span?.setStatus({ code: this.#spans.SpanStatusCode.ERROR });
  }

  /** What a call to the service carries. */
  headers(): Record<string, string> {
    const traceparent = this.#spans?.currentTraceparent() ?? null;
    return traceparent === null ? {} : { traceparent };
  }

  /** For lines of the log. */
  fields(): object {
    return this.#spans?.traceFields() ?? {};
  }

  async close(): Promise<void> {
    await this.#spans?.traces.close(CLOSE_MS);
  }
}

async function load(
  { otlpEndpoint, otlpTracesEndpoint }: Pick<RunSettings, "otlpEndpoint" | "otlpTracesEndpoint">,
  onError: (error: unknown) => void,
) {
  if (otlpEndpoint === undefined && otlpTracesEndpoint === undefined) return null;
  const { telemetry } = await import("./telemetry.ts");
  // What is kept was decided where the trace began.
  const settings = { endpoint: otlpEndpoint, tracesEndpoint: otlpTracesEndpoint, sampleRatio: 1 };
  const traces = await telemetry.openTraces("runner", settings, { onError });
  return traces === null ? null : { traces, ...telemetry };
}
