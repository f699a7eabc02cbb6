/**
 * Readers of a log's stream: let go, held back, or refused, and none at another's cost
 * (docs/rules/runner-protocol.md#logs).
 */
import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { expect } from "vitest";
import { logReading, logsRoute } from "../../src/core/logs/readLogs.ts";
import { NotFoundError } from "../../src/platform/problems/problem.ts";
import { openEventStream, readAll, type StreamEvent } from "../support/eventStream.ts";
import { CHUNK, joined, take, test, watch } from "../support/logStreamTest.ts";
import { waitFor } from "../support/waitFor.ts";

test.afterEach(({ api }) => {
  watch.mayStillRead = async () => {};
  expect(api.unexpected).toEqual([]);
});

test("a stream ends without its end once its reader may not read any more; a database that is away ends none", async ({
  world,
}) => {
  const { deploymentId, runner: started } = await world.running();
  const stream = await world.follow(deploymentId);
  let asked = 0;
  watch.mayStillRead = async () => {
    asked++;
    throw new Error("the database is away");
  };
  await waitFor(() => asked > 2, { what: "the reader to be asked about" });
  await started.live(0, Buffer.from("first"));
  await take(stream, 5);
  watch.mayStillRead = async () => {
    throw new NotFoundError();
  };
  expect(await stream.next()).toBeNull();
  await started.live(0, Buffer.from("first, second"));
  const before = asked;
  watch.mayStillRead = async () => {
    asked++;
  };
  const another = await world.follow(deploymentId, { after: "5" });
  await take(another, 8);
  await waitFor(() => asked > before, { what: "the other reader to be asked about" });
  await started.seal(0, Buffer.from("first, second"));
  await started.done({ status: "failure" });
  expect(await readAll(another)).toMatchObject([{ event: "end" }]);
});

test("a stream has no limit, and says so instead of going on beyond it", async ({ logs, world }) => {
  const { deploymentId } = await world.running();
  const answer = await fetch(`${logs.base}/${deploymentId}?offset=0&limit=5`, {
    headers: { accept: "text/event-stream" },
  });
  expect([answer.status, await answer.json()]).toMatchObject([422, { errors: [{ field: "limit" }] }]);
});

test("HEAD says what there would be, follows nothing and asks nothing again", async ({ logs, world }) => {
  const { deploymentId, runner: started } = await world.running();
  await started.seal(0, Buffer.from("hello\n"));
  const asked: string[] = [];
  watch.mayStillRead = async (method) => void asked.push(method);
  const objects = watch.objects;
  for (const [accept, type, length] of [
    ["text/event-stream", "text/event-stream; charset=utf-8", null],
    ["*/*", "text/plain; charset=utf-8", "6"],
  ] as const) {
    const { status, headers } = await fetch(`${logs.base}/${deploymentId}`, { method: "HEAD", headers: { accept } });
    expect([status, headers.get("content-type"), headers.get("content-length")]).toEqual([200, type, length]);
  }
  expect(watch.objects).toBe(objects);
  const stream = await world.follow(deploymentId);
  await waitFor(async () => asked.length >= 3, { what: "the reader to be asked about three times", timeoutMs: 45_000 });
  stream.close();
  expect(new Set(asked)).toEqual(new Set(["GET"]));
});

test("a process that stops ends its streams without an end, and another goes on where they were", async ({
  database,
  api,
  world,
}) => {
  const { deploymentId, runner: started } = await world.running();
  await started.live(0, Buffer.from("before"));
  const { objects, keyring, graceMs } = api.deps;
  const stopping = logReading({ db: database.db, objects, keyring, graceMs }, () => {});
  const route = logsRoute(stopping);
  const app = new Hono().get("/:id", (c) => route(c, c.req.param("id"), () => watch.mayStillRead(c.req.method)));
  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 });
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const stream = await openEventStream(`http://127.0.0.1:${port}/${deploymentId}`);
  const [last] = await take(stream, 6);
  const stopped = new Promise((resolve) => server.close(resolve));
  stopping.feed.close();
  expect(await stream.next()).toBeNull();
  await stopped;
  const next = await world.follow(deploymentId, { after: (last as StreamEvent).id });
  await started.seal(0, Buffer.from("before, after"));
  await started.done({ status: "failure" });
  expect(joined(await readAll(next)).toString()).toBe(", after");
});

test("a live chunk that does not open is told to its own readers, and to no other's", async ({ database, world }) => {
  const broken = await world.running();
  await broken.runner.live(0, Buffer.from("unreadable"));
  await database.sql`update log_chunks set live_bytes = 'x' where run_id = ${broken.runner.run_id}`;
  const sound = await world.running();
  await sound.runner.live(0, Buffer.from("readable"));
  const [bad, good] = await Promise.all([world.follow(broken.deploymentId), world.follow(sound.deploymentId)]);
  expect(bad.status).toBe(503);
  bad.close();
  expect(joined(await take(good, 8)).toString()).toBe("readable");
  good.close();
});

test("200 readers of one log cost no more statements than one, and are all let go", async ({ logs, world }) => {
  const { deploymentId, runner: started } = await world.running();
  await started.live(0, Buffer.from("."));
  const streams = await Promise.all(Array.from({ length: 200 }, () => world.follow(deploymentId)));
  await Promise.all(streams.map((stream) => take(stream, 1)));
  const before = watch.statements;
  const from = performance.now();
  for (let size = 2; size <= 30; size++) {
    await started.live(0, Buffer.from(".".repeat(size)));
    if (size % 10 === 0) await Promise.all(streams.map((stream) => take(stream, 1)));
  }
  const seconds = (performance.now() - from) / 1000;
  // Two looks a second, and a note for the runner every five.
  expect(watch.statements - before).toBeLessThanOrEqual(Math.ceil(seconds * 2) + 2 + Math.ceil(seconds / 5));
  for (const stream of streams) stream.close();
  await waitFor(() => logs.reading.feed.watched === 0, { what: "every reader to be let go" });
});

test("a reader that stops reading makes the log wait, not the memory grow", async ({ world }) => {
  const { deploymentId, runner: started } = await world.running();
  const chunks = 400;
  const bytes = randomBytes(CHUNK);
  for (let index = 0; index < chunks; index++) await started.seal(index, bytes);
  await started.done({ status: "failure" });
  const before = watch.objects;
  const stream = await world.follow(deploymentId);
  await stream.next();
  let seen = -1;
  await waitFor(
    () => {
      const settled = watch.objects === seen;
      seen = watch.objects;
      return settled;
    },
    { what: "the server to stop reading ahead", everyMs: 300 },
  );
  // Socket buffers on both sides hold some megabytes; the log has 25 MiB, half as much again as JSON.
  expect(seen - before).toBeLessThan(chunks / 2);
  const rest = await readAll(stream);
  expect(rest.at(-1)).toMatchObject({ id: String(chunks * CHUNK), event: "end" });
});
