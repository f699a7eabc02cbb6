/**
 * The log as people follow it: an event stream that joins sealed and live parts without gap or repeat
 * (docs/rules/runner-protocol.md#logs).
 */
import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import fc from "fast-check";
import { Hono } from "hono";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type LogReading, logReading, logsRoute } from "../../src/core/logs/readLogs.ts";
import type { Queryable } from "../../src/platform/db/client.ts";
import { NotFoundError, problemResponse } from "../../src/platform/problems/problem.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { bytesOf, type EventStream, openEventStream, readAll, type StreamEvent } from "../support/eventStream.ts";
import { create, decide, type Group, makeOrg, makeStack } from "../support/fixtures.ts";
import { coordinator, PLAN_WITH_CHANGES, type RunnerApi, runner, startRunnerApi } from "../support/runnerApi.ts";
import { waitFor } from "../support/waitFor.ts";

const CHUNK = 65_536;
let database: TestDatabase;
let api: RunnerApi;
let org: Group;
let reading: LogReading;
let base: string;
let close: () => Promise<void>;
/** Asked again and again while a stream is followed. */
let mayStillRead: (method: string) => Promise<void> = async () => {};
/** Statements that readers sent, and objects they read. */
const sent = { statements: 0, objects: 0 };

beforeAll(async () => {
  database = await freshDatabase();
  api = await startRunnerApi(database);
  org = await makeOrg(database);
  const { objects, keyring, graceMs } = api.deps;
  const db: Queryable = new Proxy(database.db, {
    get(target, name, receiver) {
      if (name === "execute") sent.statements++;
      return Reflect.get(target, name, receiver);
    },
  });
  const counted = {
    getSealed: (...place: Parameters<typeof objects.getSealed>) => {
      sent.objects++;
      return objects.getSealed(...place);
    },
  };
  reading = logReading({ db, objects: counted, keyring, graceMs }, () => {}, 20);
  const read = logsRoute(reading);
  const app = new Hono().get("/:id", (c) => read(c, c.req.param("id"), () => mayStillRead(c.req.method)));
  app.onError((error) => problemResponse(error, "test"));
  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 });
  await new Promise((resolve) => server.once("listening", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = () => new Promise((resolve) => server.close(() => resolve()));
});
afterEach(() => {
  mayStillRead = async () => {};
  expect(api.unexpected).toEqual([]);
});
afterAll(async () => {
  reading.feed.close();
  await close();
  await api.close();
  await database.close();
});

type Started = Awaited<ReturnType<typeof running>>;

async function running() {
  const deploymentId = await create(api.service, await makeStack(database, org.orgId));
  const started = await runner(api, org, await (await coordinator(api, org)).claim());
  await started.accept();
  return { deploymentId, runner: started };
}

function follow(deploymentId: string, { query = "", after }: { query?: string; after?: string } = {}) {
  return openEventStream(`${base}/${deploymentId}${query}`, after === undefined ? {} : { "last-event-id": after });
}

const joined = (events: StreamEvent[]) =>
  Buffer.concat(events.filter((event) => event.event === "log").map((event) => bytesOf(event)));

/** Offsets follow one another, from `from` on, and every id is the offset after its event. */
function expectContinuous(events: StreamEvent[], from = 0): void {
  let at = from;
  for (const event of events) {
    if (event.event === "log") {
      expect(event.data.offset).toBe(at);
      at += bytesOf(event).length;
    }
    expect(event.id).toBe(String(at));
  }
}

/** Read until `size` bytes came. */
async function take(stream: EventStream, size: number): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  while (joined(events).length < size) {
    const event = await stream.next();
    if (event === null) throw new Error(`the stream ended after ${joined(events).length} bytes`);
    events.push(event);
  }
  return events;
}

test("a stream ends without its end once its reader may not read any more; a database that is away ends none", async () => {
  const { deploymentId, runner: started } = await running();
  const stream = await follow(deploymentId);
  let asked = 0;
  mayStillRead = async () => {
    asked++;
    throw new Error("the database is away");
  };
  await waitFor(() => asked > 2, { what: "the reader to be asked about" });
  await started.live(0, Buffer.from("first"));
  await take(stream, 5);
  mayStillRead = async () => {
    throw new NotFoundError();
  };
  expect(await stream.next()).toBeNull();
  await started.live(0, Buffer.from("first, second"));
  const before = asked;
  mayStillRead = async () => {
    asked++;
  };
  const another = await follow(deploymentId, { after: "5" });
  await take(another, 8);
  await waitFor(() => asked > before, { what: "the other reader to be asked about" });
  await started.seal(0, Buffer.from("first, second"));
  await started.done({ status: "failure" });
  expect(await readAll(another)).toMatchObject([{ event: "end" }]);
});

test("a stream has no limit, and says so instead of going on beyond it", async () => {
  const { deploymentId } = await running();
  const answer = await fetch(`${base}/${deploymentId}?offset=0&limit=5`, { headers: { accept: "text/event-stream" } });
  expect([answer.status, await answer.json()]).toMatchObject([422, { errors: [{ field: "limit" }] }]);
});

test("HEAD says what there would be, follows nothing and asks nothing again", async () => {
  const { deploymentId, runner: started } = await running();
  await started.seal(0, Buffer.from("hello\n"));
  const asked: string[] = [];
  mayStillRead = async (method) => void asked.push(method);
  const objects = sent.objects;
  for (const [accept, type, length] of [
    ["text/event-stream", "text/event-stream; charset=utf-8", null],
    ["*/*", "text/plain; charset=utf-8", "6"],
  ] as const) {
    const { status, headers } = await fetch(`${base}/${deploymentId}`, { method: "HEAD", headers: { accept } });
    expect([status, headers.get("content-type"), headers.get("content-length")]).toEqual([200, type, length]);
  }
  expect(sent.objects).toBe(objects);
  const stream = await follow(deploymentId);
  await waitFor(async () => asked.length >= 3, { what: "the reader to be asked about three times", timeoutMs: 5_000 });
  stream.close();
  expect(new Set(asked)).toEqual(new Set(["GET"]));
});

test("what is pushed live is shown before it is sealed, and the end of the deployment is the last event", async () => {
  const { deploymentId, runner: started } = await running();
  const stream = await follow(deploymentId);
  expect(stream.status).toBe(200);
  expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  await started.live(0, Buffer.from("first"));
  const [first] = await take(stream, 5);
  expect(first).toMatchObject({ id: "5", event: "log", data: { offset: 0, text: "first" } });
  await started.live(0, Buffer.from("first, second"));
  await started.seal(0, Buffer.from("first, second, third\n"));
  await started.live(1, Buffer.from("fourth"));
  await started.seal(1, Buffer.from("fourth\n"));
  await started.done({ status: "failure" });
  const rest = await readAll(stream);
  const events = [first as StreamEvent, ...rest];
  expect(joined(events).toString()).toBe("first, second, third\nfourth\n");
  expectContinuous(events);
  expect(rest.at(-1)).toEqual({ id: "28", event: "end", data: { status: "failed" } });
});

test("Last-Event-ID goes on exactly there, and after the end there is nothing to come back for", async () => {
  const { deploymentId, runner: started } = await running();
  const log = randomBytes(3 * CHUNK - 1_000);
  for (let index = 0; index < 3; index++) await started.seal(index, log.subarray(index * CHUNK, (index + 1) * CHUNK));
  await started.done({ status: "failure" });
  const whole = await readAll(await follow(deploymentId));
  expect(joined(whole).equals(log)).toBe(true);
  expectContinuous(whole);
  for (const { id } of whole.slice(0, -1)) {
    const rest = await readAll(await follow(deploymentId, { after: id }));
    expect(joined(rest).equals(log.subarray(Number(id)))).toBe(true);
    expectContinuous(rest, Number(id));
  }
  const from = await readAll(await follow(deploymentId, { query: "?offset=70001" }));
  expect(joined(from).equals(log.subarray(70_001))).toBe(true);
  expect((await follow(deploymentId, { after: String(log.length) })).status).toBe(204);
  expect((await follow(deploymentId, { after: "x" })).status).toBe(422);
  expect((await follow(deploymentId, { query: `?stage=${deploymentId}` })).status).toBe(404);
});

test("characters and terminal sequences are whole in each event, wherever pushes and chunks cut them", async () => {
  const { deploymentId, runner: started } = await running();
  const text = Buffer.from("\u001b[1m╷\u001b[0m Größe: 🚀 \u001b[38;5;196m│\u001b[0m\n".repeat(3));
  const stream = await follow(deploymentId);
  const reading = readAll(stream);
  const cut = 37;
  for (let upTo = 1; upTo <= cut; upTo++) await started.live(0, text.subarray(0, upTo));
  await started.seal(0, text.subarray(0, cut));
  for (let upTo = cut + 1; upTo < text.length; upTo += 3) await started.live(1, text.subarray(cut, upTo));
  await started.seal(1, text.subarray(cut));
  await started.done({ status: "failure" });
  const events = await reading;
  expect(joined(events).equals(text)).toBe(true);
  expectContinuous(events);
  for (const { data } of events.filter(({ event }) => event === "log")) {
    expect(data.base64).toBeUndefined();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what terminal sequences are made of
    expect(String(data.text).replace(/\u001b\[[0-9;]*m/g, "")).not.toContain("\u001b");
  }
});

test("a runner killed with its last words pushed and not sealed: they become the end of the log", async () => {
  await using own = await freshDatabase();
  const server = await startRunnerApi(own);
  const { objects, keyring, graceMs } = server.deps;
  const following = logReading({ db: own.db, objects, keyring, graceMs }, () => {});
  const route = logsRoute(following);
  const app = new Hono().get("/:id", (c) => route(c, c.req.param("id"), () => mayStillRead(c.req.method)));
  try {
    const group = await makeOrg(own);
    const deploymentId = await create(server.service, await makeStack(own, group.orgId));
    const dying = await runner(server, group, await (await coordinator(server, group)).claim());
    await dying.accept();
    await dying.seal(0, Buffer.from("sealed\n"));
    await dying.live(1, Buffer.from("half a line, and then noth"));
    const answer = await app.request(`/${deploymentId}`, { headers: { accept: "text/event-stream" } });
    const text = answer.text();
    await own.sql`update runs set status = 'failure', completed_at = svc_now() where id = ${dying.run_id}`;
    await own.sql`update stages set phase = 'failed', completed_at = svc_now() where run_id = ${dying.run_id}`;
    await own.sql`update deployments set status = 'failed', completed_at = svc_now() where id = ${deploymentId}`;
    // A runner that is merely slow to learn of the end would seal its rest within some seconds.
    await own.advanceClock(10_000);
    expect(await text).toMatch(/half a line, and then noth"}\n\nid: 33\nevent: end\ndata: {"status":"failed"}\n\n$/);
  } finally {
    following.feed.close();
    await server.close();
  }
});

test("a deployment's stream goes from the plan's log to the apply's and stays open while a person thinks", async () => {
  const { deploymentId, runner: planner } = await running();
  const stream = await follow(deploymentId);
  await planner.seal(0, Buffer.from("plan\n"));
  await planner.upload("plan", randomBytes(8));
  await planner.done(PLAN_WITH_CHANGES);
  const stages = await database.sql`select id, kind from stages where deployment_id = ${deploymentId}`;
  const plan = stages.find((stage) => stage.kind === "plan_run")?.id;
  const ofPlan = await readAll(await follow(deploymentId, { query: `?stage=${plan}` }));
  expect(ofPlan.map(({ event, data }) => [event, data.text ?? data.status])).toEqual([
    ["log", "plan\n"],
    ["end", "done"],
  ]);
  const first = await take(stream, 5);
  await decide(api.service, database, deploymentId, "confirm", { action: "apply" } as never);
  const applier = await runner(api, org, await (await coordinator(api, org)).claim());
  await applier.accept();
  await applier.live(0, Buffer.from("apply"));
  const second = await take(stream, 5);
  await applier.seal(0, Buffer.from("apply\n"));
  await applier.done({ status: "success" });
  const events = [...first, ...second, ...(await readAll(stream))];
  expect(joined(events).toString()).toBe("plan\napply\n");
  expectContinuous(events);
  expect(new Set(events.flatMap(({ data }) => data.stage_id ?? [])).size).toBe(2);
  expect(events.at(-1)).toMatchObject({ event: "end", data: { status: "finished" } });
});

test("once another run follows, a late chunk is refused, so that no offset after it moves; one that changes nothing is not", async () => {
  const { deploymentId, runner: planner } = await running();
  await planner.seal(0, Buffer.from("plan\n"));
  await planner.live(1, Buffer.from("live\n"));
  await planner.upload("plan", randomBytes(8));
  await planner.done(PLAN_WITH_CHANGES);
  await decide(api.service, database, deploymentId, "confirm", { action: "apply" } as never);
  const applier = await runner(api, org, await (await coordinator(api, org)).claim());
  await applier.accept();
  await applier.live(0, Buffer.from("apply"));
  const whole = async () => (await fetch(`${base}/${deploymentId}`)).text();
  expect(await whole()).toBe("plan\nlive\napply");
  expect((await planner.seal(1, Buffer.from("live\nand more\n"))).status).toBe(409);
  expect((await planner.seal(2, Buffer.from("and more\n"))).status).toBe(409);
  expect((await planner.seal(1, Buffer.from("live\n"))).status).toBe(204);
  expect(await whole()).toBe("plan\nlive\napply");
  await applier.done({ status: "failure" });
  expect((await applier.seal(0, Buffer.from("apply, sealed late"))).status).toBe(204);
  expect(await whole()).toBe("plan\nlive\napply, sealed late");
});

/** Send the chunks as the script says: parts pushed live, lost calls, repeats, seals early and late. */
type Step = { chunk: number; upTo: number; seal: boolean; lost: boolean };

async function perform({ runner: started }: Started, chunks: Buffer[], steps: readonly Step[]): Promise<void> {
  for (const { chunk, upTo, seal, lost } of steps) {
    const bytes = chunks[chunk];
    if (bytes === undefined || lost) continue;
    const answer = await (seal ? started.seal(chunk, bytes) : started.live(chunk, bytes.subarray(0, upTo)));
    expect(answer.status).toBe(204);
  }
  // A runner repeats what was lost until it is stored, in any order.
  await Promise.all(
    chunks.flatMap((bytes, index) => [started.seal(index, bytes), started.live(index, bytes.subarray(0, 3))]),
  );
  await started.done({ status: "failure" });
}

/** Follow from `from`, leave after every `patience` events, come back to where the last event left it. */
async function impatient(deploymentId: string, from: number, patience: number): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for (;;) {
    const stream = await follow(deploymentId, { query: `?offset=${from}`, after: events.at(-1)?.id ?? "" });
    // The last event that was taken was the last of the log.
    if (stream.status === 204) return events;
    for (let taken = 0; taken < patience; taken++) {
      const event = await stream.next();
      if (event === null) throw new Error("the stream ended without an end");
      events.push(event);
      if (event.event === "end") return events;
    }
    stream.close();
  }
}

test("any interleaving of pushes, seals, repeats and losses gives every reader, from any byte, each byte once", async () => {
  const step = fc.record({ chunk: fc.nat(3), upTo: fc.nat(40), seal: fc.boolean(), lost: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(40), { minLength: 1, maxLength: 4 }),
      fc.array(step, { maxLength: 12 }),
      fc.array(fc.record({ from: fc.nat(100), patience: fc.integer({ min: 1, max: 4 }) }), {
        minLength: 1,
        maxLength: 3,
      }),
      async (sizes, steps, readers) => {
        const started = await running();
        const chunks = sizes.map((size) => randomBytes(size + 1));
        const whole = Buffer.concat(chunks);
        const reads = readers.map(async ({ from: wanted, patience }) => {
          const from = Math.min(wanted, whole.length);
          const events = await impatient(started.deploymentId, from, patience);
          expect(joined(events).equals(whole.subarray(from))).toBe(true);
          expectContinuous(events, from);
        });
        await Promise.all([perform(started, chunks, steps), ...reads]);
      },
    ),
    { numRuns: 12 },
  );
}, 120_000);

test("a process that stops ends its streams without an end, and another goes on where they were", async () => {
  const { deploymentId, runner: started } = await running();
  await started.live(0, Buffer.from("before"));
  const { objects, keyring, graceMs } = api.deps;
  const stopping = logReading({ db: database.db, objects, keyring, graceMs }, () => {});
  const route = logsRoute(stopping);
  const app = new Hono().get("/:id", (c) => route(c, c.req.param("id"), () => mayStillRead(c.req.method)));
  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 });
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const stream = await openEventStream(`http://127.0.0.1:${port}/${deploymentId}`);
  const [last] = await take(stream, 6);
  const stopped = new Promise((resolve) => server.close(resolve));
  stopping.feed.close();
  expect(await stream.next()).toBeNull();
  await stopped;
  const next = await follow(deploymentId, { after: (last as StreamEvent).id });
  await started.seal(0, Buffer.from("before, after"));
  await started.done({ status: "failure" });
  expect(joined(await readAll(next)).toString()).toBe(", after");
});

test("a live chunk that does not open breaks its own readers off and no other's", async () => {
  const broken = await running();
  await broken.runner.live(0, Buffer.from("unreadable"));
  await database.sql`update log_chunks set live_bytes = 'x' where run_id = ${broken.runner.run_id}`;
  const sound = await running();
  await sound.runner.live(0, Buffer.from("readable"));
  const [bad, good] = await Promise.all([follow(broken.deploymentId), follow(sound.deploymentId)]);
  await expect(bad.next()).rejects.toThrow();
  expect(joined(await take(good, 8)).toString()).toBe("readable");
  good.close();
});

test("200 readers of one log cost no more statements than one, and are all let go", async () => {
  const { deploymentId, runner: started } = await running();
  await started.live(0, Buffer.from("."));
  const streams = await Promise.all(Array.from({ length: 200 }, () => follow(deploymentId)));
  await Promise.all(streams.map((stream) => take(stream, 1)));
  const before = sent.statements;
  const from = performance.now();
  for (let size = 2; size <= 30; size++) {
    await started.live(0, Buffer.from(".".repeat(size)));
    if (size % 10 === 0) await Promise.all(streams.map((stream) => take(stream, 1)));
  }
  const seconds = (performance.now() - from) / 1000;
  expect(sent.statements - before).toBeLessThanOrEqual(Math.ceil(seconds * 2) + 2);
  for (const stream of streams) stream.close();
  await waitFor(() => reading.feed.watched === 0, { what: "every reader to be let go" });
});

test("a reader that stops reading makes the log wait, not the memory grow", async () => {
  const { deploymentId, runner: started } = await running();
  const chunks = 400;
  const bytes = randomBytes(CHUNK);
  for (let index = 0; index < chunks; index++) await started.seal(index, bytes);
  await started.done({ status: "failure" });
  const before = sent.objects;
  const stream = await follow(deploymentId);
  await stream.next();
  let seen = -1;
  await waitFor(
    () => {
      const settled = sent.objects === seen;
      seen = sent.objects;
      return settled;
    },
    { what: "the server to stop reading ahead", everyMs: 300 },
  );
  // Socket buffers on both sides hold some megabytes; the log has 25 MiB, half as much again as JSON.
  expect(seen - before).toBeLessThan(chunks / 2);
  const rest = await readAll(stream);
  expect(rest.at(-1)).toMatchObject({ id: String(chunks * CHUNK), event: "end" });
});
