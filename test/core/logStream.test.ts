/**
 * The log as people follow it: an event stream that joins sealed and live parts without gap or repeat
 * (docs/rules/runner-protocol.md#logs).
 */
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { Hono } from "hono";
import { expect } from "vitest";
import { logReading, logsRoute } from "../../src/core/logs/readLogs.ts";
import { freshDatabase } from "../support/database.ts";
import { bytesOf, readAll, type StreamEvent } from "../support/eventStream.ts";
import { create, decide, makeOrg, makeStack } from "../support/fixtures.ts";
import { CHUNK, joined, take, test, watch } from "../support/logStreamTest.ts";
import { coordinator, PLAN_WITH_CHANGES, runner, startRunnerApi } from "../support/runnerApi.ts";
import { waitFor } from "../support/waitFor.ts";

type Started = { deploymentId: string; runner: Awaited<ReturnType<typeof runner>> };

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

test.afterEach(({ api }) => {
  watch.mayStillRead = async () => {};
  expect(api.unexpected).toEqual([]);
});

test("what is pushed live is shown before it is sealed, and the end of the deployment is the last event", async ({
  world,
}) => {
  const { deploymentId, runner: started } = await world.running();
  const stream = await world.follow(deploymentId);
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

test("a runner is told to come seldom while nobody follows its log, and nothing while somebody does", async ({
  world,
}) => {
  const { deploymentId, runner: started } = await world.running();
  const said = async () =>
    (await Promise.all([started.status(), started.live(0, Buffer.from("x"))])).map(({ headers }) =>
      headers.get("retry-after"),
    );
  expect(await said()).toEqual(["10", "10"]);
  const stream = await world.follow(deploymentId);
  await take(stream, 1);
  await waitFor(async () => (await said()).every((seconds) => seconds === null), { what: "the reader to be noted" });
  // Another deployment's readers are none of this one's.
  const { runner: other } = await world.running();
  expect((await other.status()).headers.get("retry-after")).toBe("10");
  await started.done({ status: "failure" });
  await readAll(stream);
});

test("Last-Event-ID goes on exactly there, and after the end there is nothing to come back for", async ({ world }) => {
  const { deploymentId, runner: started } = await world.running();
  const log = randomBytes(3 * CHUNK - 1_000);
  for (let index = 0; index < 3; index++) await started.seal(index, log.subarray(index * CHUNK, (index + 1) * CHUNK));
  await started.done({ status: "failure" });
  const whole = await readAll(await world.follow(deploymentId));
  expect(joined(whole).equals(log)).toBe(true);
  expectContinuous(whole);
  for (const { id } of whole.slice(0, -1)) {
    const rest = await readAll(await world.follow(deploymentId, { after: id }));
    expect(joined(rest).equals(log.subarray(Number(id)))).toBe(true);
    expectContinuous(rest, Number(id));
  }
  const from = await readAll(await world.follow(deploymentId, { query: "?offset=70001" }));
  expect(joined(from).equals(log.subarray(70_001))).toBe(true);
  expect((await world.follow(deploymentId, { after: String(log.length) })).status).toBe(204);
  expect((await world.follow(deploymentId, { after: "x" })).status).toBe(422);
  expect((await world.follow(deploymentId, { query: `?stage=${deploymentId}` })).status).toBe(404);
});

test("characters and terminal sequences are whole in each event, wherever pushes and chunks cut them", async ({
  world,
}) => {
  const { deploymentId, runner: started } = await world.running();
  const text = Buffer.from("\u001b[1m╷\u001b[0m Größe: 🚀 \u001b[38;5;196m│\u001b[0m\n".repeat(3));
  const stream = await world.follow(deploymentId);
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
  const app = new Hono().get("/:id", (c) => route(c, c.req.param("id"), () => watch.mayStillRead(c.req.method)));
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

test("a deployment's stream goes from the plan's log to the apply's and stays open while a person thinks", async ({
  database,
  api,
  world,
}) => {
  const { deploymentId, runner: planner } = await world.running();
  const stream = await world.follow(deploymentId);
  await planner.seal(0, Buffer.from("plan\n"));
  await planner.upload("plan", randomBytes(8));
  await planner.done(PLAN_WITH_CHANGES);
  const stages = await database.sql`select id, kind from stages where deployment_id = ${deploymentId}`;
  const plan = stages.find((stage) => stage.kind === "plan_run")?.id;
  const ofPlan = await readAll(await world.follow(deploymentId, { query: `?stage=${plan}` }));
  expect(ofPlan.map(({ event, data }) => [event, data.text ?? data.status])).toEqual([
    ["log", "plan\n"],
    ["end", "done"],
  ]);
  const first = await take(stream, 5);
  await decide(api.service, database, deploymentId, "confirm", { action: "apply" } as never);
  const applier = await runner(api, world.org, await (await coordinator(api, world.org)).claim());
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

test("once another run follows, a late chunk is refused, so that no offset after it moves; one that changes nothing is not", async ({
  database,
  api,
  logs,
  world,
}) => {
  const { deploymentId, runner: planner } = await world.running();
  await planner.seal(0, Buffer.from("plan\n"));
  await planner.live(1, Buffer.from("live\n"));
  await planner.upload("plan", randomBytes(8));
  await planner.done(PLAN_WITH_CHANGES);
  await decide(api.service, database, deploymentId, "confirm", { action: "apply" } as never);
  const applier = await runner(api, world.org, await (await coordinator(api, world.org)).claim());
  await applier.accept();
  await applier.live(0, Buffer.from("apply"));
  const whole = async () => (await fetch(`${logs.base}/${deploymentId}`)).text();
  expect(await whole()).toBe("plan\nlive\napply");
  expect((await planner.seal(1, Buffer.from("live\nand more\n"))).status).toBe(409);
  expect((await planner.seal(2, Buffer.from("and more\n"))).status).toBe(409);
  expect((await planner.seal(1, Buffer.from("live\n"))).status).toBe(204);
  expect(await whole()).toBe("plan\nlive\napply");
  await applier.done({ status: "failure" });
  expect((await applier.seal(0, Buffer.from("apply, sealed late"))).status).toBe(204);
  expect(await whole()).toBe("plan\nlive\napply, sealed late");
});

test("any interleaving of pushes, seals, repeats and losses gives every reader, from any byte, each byte once", async ({
  world,
}) => {
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
        const started = await world.running();
        const chunks = sizes.map((size) => randomBytes(size + 1));
        const whole = Buffer.concat(chunks);
        const reads = readers.map(async ({ from: wanted, patience }) => {
          const from = Math.min(wanted, whole.length);
          const events = await world.impatient(started.deploymentId, from, patience);
          expect(joined(events).equals(whole.subarray(from))).toBe(true);
          expectContinuous(events, from);
        });
        await Promise.all([perform(started, chunks, steps), ...reads]);
      },
    ),
    { numRuns: 12 },
  );
}, 120_000);
