/**
 * A service of before in front of the real one: it has the calls, parameters and fields of an older document, and
 * refuses or leaves out everything else. `olderService.jsonl` is that of the service before it had anything made for
 * clients: no deployments across stacks, no device login, no allowed actions.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";

/** A leaf is 1, a list has one element; undefined: whatever there is. */
type Shape = 1 | [Shape] | { [field: string]: Shape } | undefined;
export type Call = { call: string; query?: string[]; body?: Shape; answer?: Shape };

export function callsBefore(): Call[] {
  const lines = readFileSync(new URL("olderService.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line) as Call);
}

let now: Call[] | undefined;

/** What the service has today, as it is. */
export function callsNow(): Call[] {
  now ??= readNow();
  return now;
}

function readNow(): Call[] {
  const file = new URL("../../docs/openapi.json", import.meta.url);
  const { paths } = JSON.parse(readFileSync(file, "utf8")) as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ call: `${method.toUpperCase()} ${path}` })),
  );
}

export async function olderService(target: string, calls: readonly Call[]): Promise<{ url: string; close(): void }> {
  const known = calls.map((one) => ({ ...one, pattern: new RegExp(`^${one.call.replace(/\{\w+\}/g, "[^/]+")}$`) }));
  const server = createServer(async (request, response) => {
    try {
      const url = new URL(request.url ?? "/", target);
      if (url.pathname === "/openapi.json") return void response.end(JSON.stringify(documentOf(calls)));
      const call = known.find(({ pattern }) => pattern.test(`${request.method} ${url.pathname}`));
      if (call === undefined) return refuse(response, 404, "not_found");
      const body = await buffer(request);
      const unknown = call.query && [...url.searchParams.keys()].filter((name) => !call.query?.includes(name));
      if (unknown?.length || !fits(body, call.body)) return refuse(response, 422, "invalid");
      await pass(call, { request, url, body }, response);
    } catch {
      response.destroy();
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function pass(
  { answer }: Call,
  { request, url, body }: { request: IncomingMessage; url: URL; body: Buffer },
  response: ServerResponse,
): Promise<void> {
  const { host: _, connection: __, "accept-encoding": ___, ...headers } = request.headers as Record<string, string>;
  const sent = { method: request.method ?? "GET", headers, ...(body.length > 0 && { body: new Uint8Array(body) }) };
  const got = await fetch(url, sent);
  const type = got.headers.get("content-type") ?? "";
  response.writeHead(got.status, type === "" ? {} : { "content-type": type });
  if (type.startsWith("application/json")) {
    response.end(JSON.stringify(only(await got.json(), answer)));
  } else if (got.body === null) response.end();
  else Readable.fromWeb(got.body as Parameters<typeof Readable.fromWeb>[0]).pipe(response);
}

function documentOf(calls: readonly Call[]) {
  const paths: Record<string, Record<string, object>> = {};
  for (const { call } of calls) {
    const [method = "", path = ""] = call.split(" ");
    paths[path] = { ...paths[path], [method.toLowerCase()]: {} };
  }
  return { paths };
}

function only(value: unknown, shape: Shape): unknown {
  if (value === null || typeof value !== "object" || typeof shape !== "object") return value;
  if (Array.isArray(value)) return value.map((each) => only(each, (shape as [Shape])[0]));
  const fields = Object.entries(value).filter(([name]) => name in shape);
  return Object.fromEntries(fields.map(([name, inner]) => [name, only(inner, (shape as Record<string, Shape>)[name])]));
}

function fits(body: Buffer, shape: Shape): boolean {
  if (typeof shape !== "object" || body.length === 0) return true;
  return Object.keys(JSON.parse(body.toString())).every((name) => name in shape);
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { "content-type": "application/problem+json" });
  response.end(JSON.stringify({ type: "about:blank", title: "Refused", status, code }));
}
