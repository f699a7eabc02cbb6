/** All that spans take. Only a runner with a collector loads it. */
import { SpanStatusCode, trace } from "@opentelemetry/api";
import { currentTraceparent, traceFields, withinTrace } from "../../src/platform/telemetry/traceContext.ts";
import { openTraces } from "../../src/platform/telemetry/traces.ts";

export const telemetry = { openTraces, withinTrace, currentTraceparent, traceFields, trace, SpanStatusCode };
