/**
 * A collector of OpenTelemetry traces: takes OTLP over HTTP as JSON and keeps every span, and every byte to search in.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export type CollectedSpan = {
  /** `service.name` of the program that sent it. */
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  /** Null where a trace begins. */
  parentId: string | null;
  /** Trace ids that it links to. */
  links: string[];
  attributes: Record<string, unknown>;
  failed: boolean;
  /** Nanoseconds since 1970. */
  start: bigint;
  end: bigint;
};

export type Collector = {
  url: string;
  spans: CollectedSpan[];
  /** Everything received so far. */
  text(): string;
  close(): Promise<void>;
};

/** `silent`: take requests and never answer. `port`: 0 takes any free one. */
export async function startCollector({ silent = false, port = 0 } = {}): Promise<Collector> {
  const bodies: string[] = [];
  const spans: CollectedSpan[] = [];
  const server = createServer(async (request, response) => {
    if (silent) return;
    const body = Buffer.concat(await request.toArray()).toString("utf8");
    bodies.push(`${request.url} ${JSON.stringify(request.headers)} ${body}`);
    if (request.url === "/v1/traces") spans.push(...spansIn(JSON.parse(body)));
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => bodies.join("\n"),
    close: () => closed(server),
  };
}

/** "service name <- service name" for each span and its parent. */
export function edges(spans: readonly CollectedSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const named = (span: CollectedSpan | undefined) => (span === undefined ? "?" : `${span.service} ${span.name}`);
  return spans.map(
    (span) => `${named(span)} <- ${span.parentId === null ? "nothing" : named(byId.get(span.parentId))}`,
  );
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((done) => server.close(() => done()));
}

type Value = { stringValue?: string; intValue?: number | string; boolValue?: boolean; doubleValue?: number };
type KeyValue = { key: string; value: Value };
type Export = {
  resourceSpans: {
    resource: { attributes: KeyValue[] };
    scopeSpans: {
      spans: {
        name: string;
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        links?: { traceId: string }[];
        attributes?: KeyValue[];
        status?: { code?: number };
        startTimeUnixNano: string;
        endTimeUnixNano: string;
      }[];
    }[];
  }[];
};

function spansIn({ resourceSpans }: Export): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service: String(valuesOf(resource.attributes)["service.name"]),
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentId: span.parentSpanId || null,
        links: (span.links ?? []).map(({ traceId }) => traceId),
        attributes: valuesOf(span.attributes ?? []),
        failed: span.status?.code === 2,
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
      })),
    ),
  );
}

function valuesOf(pairs: KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map(({ key, value: { stringValue, boolValue, intValue, doubleValue } }) => [
      key,
      stringValue ?? boolValue ?? (intValue === undefined ? doubleValue : Number(intValue)),
    ]),
  );
}
