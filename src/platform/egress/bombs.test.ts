/** Answers made to hurt: they cost a bounded amount of memory, and nobody else's call waits for them. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import * as v from "valibot";
import { afterAll, beforeAll, expect, it } from "vitest";
import { cidrs } from "../settings/formats.ts";
import { createEgress, type Egress } from "./egress.ts";

const MIB = 1_048_576;

let server: Server;
let base: string;
let egress: Egress;
beforeAll(async () => {
  const flat = Buffer.alloc(200 * MIB);
  const bombs: Record<string, [encoding: string, body: Buffer]> = {
    "/gzip": ["gzip", gzipSync(flat)],
    "/br": ["br", brotliCompressSync(flat.subarray(0, 64 * MIB))],
    "/json": ["gzip", gzipSync(Buffer.alloc(64 * MIB, "["))],
  };
  server = createServer((request, response) => {
    const [encoding, body] = bombs[request.url ?? ""] ?? ["identity", Buffer.from("ok")];
    response.writeHead(200, { "content-encoding": encoding, "content-type": "application/json" }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  base = `http://127.0.0.1:${port}`;
  egress = createEgress({ allow: v.parse(cidrs, `127.0.0.1:${port}`), ports: [] });
}, 30_000);
afterAll(async () => {
  await egress.close();
  server.closeAllConnections();
  server.close();
});

const median = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;

/** Milliseconds that ordinary calls take, while `beside` goes on. */
async function ordinary(beside: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  let going = true;
  const others = (async () => {
    while (going) await beside();
  })();
  for (let i = 0; i < 40; i++) {
    const began = performance.now();
    expect((await egress.request({ url: `${base}/plain` })).body.toString()).toBe("ok");
    times.push(performance.now() - began);
  }
  going = false;
  await others;
  return median(times);
}

it("bombs cost little memory, and ordinary calls beside them take no more than twice as long as beside honest ones", {
  timeout: 60_000,
}, async () => {
  const at = (path: string) =>
    egress.request({ url: base + path }).then(
      () => "answered",
      (error: Error) => error.message,
    );
  for (const path of ["/gzip", "/br", "/json"])
    expect([path, await at(path)]).toEqual([path, expect.stringContaining("too large")]);
  const before = process.memoryUsage().rss;
  let highest = before;
  const volley = async () => {
    await Promise.all(["/gzip", "/br", "/json"].map(at));
    highest = Math.max(highest, process.memoryUsage().rss);
  };
  // What honest answers of the size that is allowed cost beside; the bar is on what the bombs add to that.
  const honest = gzipSync(Buffer.alloc(MIB));
  const ratios: number[] = [];
  const plain = createServer((_request, response) =>
    response.writeHead(200, { "content-encoding": "gzip" }).end(honest),
  );
  plain.listen((server.address() as AddressInfo).port, "127.0.0.2");
  await once(plain, "listening");
  const beside = createEgress({ allow: v.parse(cidrs, "127.0.0.2"), ports: [] });
  const url = `http://127.0.0.2:${(plain.address() as AddressInfo).port}/`;
  for (let round = 0; round < 5; round++) {
    const usual = await ordinary(() => Promise.all([1, 2, 3].map(() => beside.request({ url }))));
    ratios.push((await ordinary(volley)) / usual);
  }
  await beside.close();
  plain.closeAllConnections();
  plain.close();
  console.log(`bombs: latency x${median(ratios).toFixed(2)}, ${Math.round((highest - before) / MIB)} MiB more at most`);
  expect(median(ratios)).toBeLessThan(2);
  expect(highest - before).toBeLessThan(128 * MIB);
});
