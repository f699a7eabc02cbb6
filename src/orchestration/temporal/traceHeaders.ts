/**
 * Trace context in Temporal's headers: coded as the official interceptors do it, so that other clients' and tools' are
 * understood.
 */
import { defaultPayloadConverter, type Headers } from "@temporalio/common";
import { TRACE_HEADERS } from "../../../workflows/contract.ts";

type Name = keyof typeof TRACE_HEADERS;

/** Headers with `traceparent` as the cause of the call; unchanged when there is none. */
export function withCause(headers: Headers, traceparent: string | null): Headers {
  if (traceparent === null) return headers;
  return { ...headers, [TRACE_HEADERS.cause]: defaultPayloadConverter.toPayload({ traceparent }) };
}

/** The `traceparent` in a header; null when it is absent or nothing we know. */
export function traceparentIn(headers: Headers, name: Name): string | null {
  const payload = headers[TRACE_HEADERS[name]];
  if (payload === undefined) return null;
  try {
    const carrier = defaultPayloadConverter.fromPayload<{ traceparent?: unknown } | null>(payload);
    return typeof carrier?.traceparent === "string" ? carrier.traceparent : null;
  } catch {
    return null;
  }
}
