/**
 * Trace context as it travels: one line of text, W3C's `traceparent`. Only OpenTelemetry's API is used here, whose
 * every function does nothing until `openTraces` has loaded the SDK.
 */
import {
  type Context,
  context,
  createContextKey,
  propagation,
  ROOT_CONTEXT,
  type Tracer,
  trace,
} from "@opentelemetry/api";

/** The active span as `traceparent`; null outside of any, so always null with tracing off. */
export function currentTraceparent(): string | null {
  if (trace.getActiveSpan() === undefined) return null;
  return traceparentOf(context.active());
}

/** The span of `from` as `traceparent`. */
export function traceparentOf(from: Context): string | null {
  const carrier: { traceparent?: string } = {};
  propagation.inject(from, carrier);
  return carrier.traceparent ?? null;
}

/**
 * The context in which spans continue `traceparent`; one that begins new traces when it is absent, malformed or tracing
 * is off.
 */
export function contextOf(traceparent: string | null | undefined): Context {
  return traceparent ? propagation.extract(ROOT_CONTEXT, { traceparent }) : ROOT_CONTEXT;
}

/** Run `work` as a part of what `traceparent` names; as it is when there is none. */
export function withinTrace<T>(traceparent: string | null | undefined, work: () => T): T {
  return traceparent ? context.with(contextOf(traceparent), work) : work();
}

const TRACER = createContextKey("the program's tracer");

/** `from` with what `inNewTrace` needs within it. */
export function activeWith(tracer: Tracer, from: Context): Context {
  return from.setValue(TRACER, tracer);
}

/** Run `work` as the first span of another trace, linked to the present one: of many things that one thing caused. */
export async function inNewTrace<T>(name: string, work: () => Promise<T>): Promise<T> {
  const tracer = context.active().getValue(TRACER) as Tracer | undefined;
  const present = trace.getActiveSpan();
  if (tracer === undefined || present === undefined) return work();
  const links = [{ context: present.spanContext() }];
  return tracer.startActiveSpan(name, { root: true, links }, async (span) => {
    try {
      return await work();
    } finally {
      span.end();
    }
  });
}

/** Run `work` as a part of no trace. */
export function outsideTrace<T>(work: () => T): T {
  return context.with(ROOT_CONTEXT, work);
}

/** Link the active span to the trace that `traceparent` is of. */
export function linkTrace(traceparent: string | null | undefined): void {
  const span = trace.getActiveSpan();
  if (span === undefined || !traceparent) return;
  const other = trace.getSpanContext(contextOf(traceparent));
  if (other !== undefined) span.addLink({ context: other });
}

/** For log lines: which trace and span they belong to. */
export function traceFields(): { trace_id?: string; span_id?: string } {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}
