/**
 * Logs: whatever arrives late, twice or out of order, readers see the runner's bytes once and in order
 * (docs/rules/runner-protocol.md#logs).
 */
import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { Hono } from "hono";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type LogReading, logReading, logsRoute } from "../../src/core/logs/readLogs.ts";
import { StorageUnavailableError } from "../../src/platform/objects/store.ts";
import { problemResponse } from "../../src/platform/problems/problem.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { create, decide, type Group, makeOrg, makeStack } from "../support/fixtures.ts";
import { coordinator, PLAN_WITH_CHANGES, type RunnerApi, runner, startRunnerApi } from "../support/runnerApi.ts";

const CHUNK = 65_536;
let database: TestDatabase;
let api: RunnerApi;
let org: Group;
let reader: Hono;
let reading: LogReading;

beforeAll(async () => {
  database = await freshDatabase();
  api = await startRunnerApi(database);
  org = await makeOrg(database);
  const { objects, keyring, graceMs } = api.deps;
  reading = logReading({ db: database.db, objects, keyring, graceMs }, () => {});
  const read = logsRoute(reading);
  reader = new Hono().get("/:id", (c) => read(c, c.req.param("id"), async () => {}));
  reader.onError((error) => problemResponse(error, "test"));
});
afterEach(() => expect(api.unexpected).toEqual([]));
afterAll(async () => {
  await api.close();
  await database.close();
});

async function running() {
  const deploymentId = await create(api.service, await makeStack(database, org.orgId));
  const started = await runner(api, org, await (await coordinator(api, org)).claim());
  await started.accept();
  return { deploymentId, runner: started };
}

async function read(deploymentId: string, query = "", headers: Record<string, string> = {}): Promise<Buffer> {
  const answer = await reader.request(`/${deploymentId}${query}`, { headers });
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(answer.headers.get("content-length")).toBe(String(bytes.length));
  return bytes;
}

/** The log of a deployment that has one run. */
async function readRun(runId: string): Promise<Buffer> {
  const [run] = await database.sql`select deployment_id from runs where id = ${runId}`;
  return read(run?.deployment_id);
}

/** Send `bytes` in sealed chunks. */
async function sealAll(started: Awaited<ReturnType<typeof running>>["runner"], bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; at += CHUNK) {
    expect((await started.seal(at / CHUNK, bytes.subarray(at, at + CHUNK))).status).toBe(204);
  }
}

test("a line of 200 KiB and a chunk of exactly 65,536 bytes come back byte by byte, also range after range", async () => {
  const { deploymentId, runner: started } = await running();
  const line = Buffer.concat([Buffer.from("x".repeat(200 * 1024)), Buffer.from("\n")]);
  const log = Buffer.concat([randomBytes(CHUNK - 1), Buffer.from("\n"), line]);
  await sealAll(started, log);
  expect((await read(deploymentId)).equals(log)).toBe(true);
  const ranges: Buffer[] = [];
  for (let at = 0; at < log.length; at += 40_000) {
    ranges.push(await read(deploymentId, "", { range: `bytes=${at}-${at + 39_999}` }));
  }
  expect(Buffer.concat(ranges).equals(log)).toBe(true);
  const pages: Buffer[] = [];
  for (let at = 0; ; at += 50_000) {
    const page = await read(deploymentId, `?offset=${at}&limit=50000`);
    if (page.length === 0) break;
    pages.push(page);
  }
  expect(Buffer.concat(pages).equals(log)).toBe(true);
  // The log has no validator that could match, so the client's copy is of something else.
  expect((await read(deploymentId, "", { range: "bytes=0-1", "if-range": '"another"' })).equals(log)).toBe(true);
});

test("a runner killed before it sealed its last chunk leaves what it pushed last", async () => {
  const { deploymentId, runner: started } = await running();
  await started.seal(0, Buffer.from("sealed\n"));
  await started.live(1, Buffer.from("half a l"));
  await started.live(1, Buffer.from("half a line, and then noth"));
  await database.sql`update runs set status = 'failure', completed_at = svc_now() where id = ${started.run_id}`;
  expect((await read(deploymentId)).toString()).toBe("sealed\nhalf a line, and then noth");
});

test("any interleaving of pushes and seals, repeated and out of order, gives a true prefix and in the end every byte once", async () => {
  const size = 40;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(size), { minLength: 1, maxLength: 4 }),
      fc.array(fc.record({ chunk: fc.nat(3), upTo: fc.nat(size), seal: fc.boolean() }), { maxLength: 14 }),
      fc.boolean(),
      async (sizes, sends, endsSealed) => {
        const { runner: started } = await running();
        const chunks = sizes.map((bytes) => randomBytes(bytes + 1));
        const whole = Buffer.concat(chunks);
        const pushed = new Map<number, number>();
        for (const { chunk, upTo, seal } of sends) {
          const bytes = chunks[chunk];
          if (bytes === undefined) continue;
          if (seal) expect((await started.seal(chunk, bytes)).status).toBe(204);
          else expect((await started.live(chunk, bytes.subarray(0, upTo))).status).toBe(204);
          pushed.set(chunk, Math.max(pushed.get(chunk) ?? 0, seal ? bytes.length : Math.min(upTo, bytes.length)));
          const seen = await readRun(started.run_id);
          expect(whole.subarray(0, seen.length).equals(seen)).toBe(true);
        }
        // Then the rest, at once and in any order, as retries do.
        await Promise.all(
          chunks.flatMap((bytes, index) =>
            endsSealed || index < chunks.length - 1
              ? [started.seal(index, bytes), started.live(index, bytes.subarray(0, 3)), started.seal(index, bytes)]
              : [started.live(index, bytes.subarray(0, 2)), started.live(index, bytes)],
          ),
        );
        expect((await readRun(started.run_id)).equals(whole)).toBe(true);
        await started.done({ status: "failure" });
        expect((await readRun(started.run_id)).equals(whole)).toBe(true);
      },
    ),
    { numRuns: 25 },
  );
});

test("live bytes are stored encrypted, and so are sealed ones", async () => {
  const { runner: started } = await running();
  const secret = "the plain words of a log";
  await started.live(0, Buffer.from(secret));
  const [row] = await database.sql`select live_bytes from log_chunks where run_id = ${started.run_id}`;
  expect(Buffer.from(row?.live_bytes).includes(secret)).toBe(false);
  expect((await readRun(started.run_id)).toString()).toBe(secret);
});

test("a live push is always 204 when well formed, and has no effect on a sealed chunk or a run that is over", async () => {
  const { deploymentId, runner: started } = await running();
  await started.seal(0, Buffer.from("final"));
  expect((await started.live(0, Buffer.from("a much longer text than that"))).status).toBe(204);
  expect((await read(deploymentId)).toString()).toBe("final");
  await started.done({ status: "failure" });
  expect((await started.live(1, Buffer.from("too late"))).status).toBe(204);
  expect((await read(deploymentId)).toString()).toBe("final");
  expect((await started.seal(1, Buffer.from(", sealed late"))).status).toBe(204);
  expect((await read(deploymentId)).toString()).toBe("final, sealed late");
});

test("a malformed push is refused and has no effect", async () => {
  const { deploymentId, runner: started } = await running();
  const path = `/runs/${started.run_id}/logs/live`;
  const gzip = (bytes: Uint8Array) => gzipSync(bytes).toString("base64");
  const push = async (body: unknown) => (await started.call("POST", path, body)).status;
  expect(await push({ chunk_index: 0, sealed_chunks: 0 })).toBe(400);
  expect(await push({ chunk_index: -1, sealed_chunks: 0, data: gzip(Buffer.from("x")) })).toBe(400);
  expect(await push({ chunk_index: 0, sealed_chunks: 0, data: "%%%" })).toBe(400);
  expect(await push({ chunk_index: 0, sealed_chunks: 0, data: Buffer.from("not gzip").toString("base64") })).toBe(400);
  // 10 MiB of zeros are 10 KiB of gzip.
  const inflates = { chunk_index: 0, sealed_chunks: 0, data: gzip(Buffer.alloc(10_485_760)) };
  const refused = await started.call("POST", path, inflates);
  const { detail } = (await refused.json()) as { detail: string };
  expect([refused.status, detail]).toEqual([413, "data, once decoded and inflated, may have at most 65536 bytes."]);
  expect((await read(deploymentId)).length).toBe(0);
});

test("a sealed chunk may have 65,536 bytes and not one more; with other bytes it is 409 and stays", async () => {
  const { deploymentId, runner: started } = await running();
  const full = randomBytes(CHUNK);
  expect((await started.seal(0, randomBytes(CHUNK + 1))).status).toBe(413);
  expect((await started.seal(0, full)).status).toBe(204);
  expect((await started.seal(0, full)).status).toBe(204);
  expect((await started.seal(0, randomBytes(10))).status).toBe(409);
  expect((await read(deploymentId)).equals(full)).toBe(true);
  for (const index of ["-1", "x", "1000001"]) {
    expect((await started.call("PUT", `/runs/${started.run_id}/logs/chunks/${index}`, full)).status).toBe(422);
  }
});

test("two seals of one chunk at once: one wins, its bytes stay", async () => {
  for (let round = 0; round < 15; round++) {
    const { runner: started } = await running();
    const [a, b] = [Buffer.from("a".repeat(round + 1)), Buffer.from("b".repeat(round + 1))];
    const statuses = (await Promise.all([started.seal(0, a), started.seal(0, b)])).map((answer) => answer.status);
    expect(statuses.sort()).toEqual([204, 409]);
    const stored = await readRun(started.run_id);
    expect(stored.equals(a) || stored.equals(b)).toBe(true);
  }
});

test("only the run's own runner writes: a run that was not accepted takes no sealed chunk", async () => {
  await create(api.service, await makeStack(database, org.orgId));
  const stub = await (await coordinator(api, org)).claim();
  const early = await runner(api, org, stub);
  expect((await early.seal(0, Buffer.from("x"))).status).toBe(409);
  expect((await early.live(0, Buffer.from("x"))).status).toBe(204);
  expect(await database.sql`select 1 from log_chunks where run_id = ${stub.run_id}`).toHaveLength(0);
});

test("a log whose bytes are gone, or cannot be reached, is a proper answer and no broken connection", async () => {
  const { deploymentId, runner: started } = await running();
  await started.seal(0, Buffer.from("gone soon\n"));
  const { objects, keyring, graceMs } = api.deps;
  const answerWith = async (store: Pick<typeof objects, "getSealed">) => {
    const fresh = logsRoute(
      logReading({ db: database.db, objects: store as typeof objects, keyring, graceMs }, () => {}),
    );
    const app = new Hono().get("/:id", (c) => fresh(c, c.req.param("id"), async () => {}));
    app.onError((error) => problemResponse(error, "test"));
    return app.request(`/${deploymentId}`);
  };
  const away = await answerWith({ getSealed: () => Promise.reject(new StorageUnavailableError(new Error("away"))) });
  expect(away.status).toBe(503);
  const [row] = await database.sql`select object_key from log_chunks where run_id = ${started.run_id}`;
  await objects.delete(row?.object_key);
  const gone = await answerWith(objects);
  expect(gone.status).toBe(404);
  expect(await gone.json()).toMatchObject({ code: "not_found", detail: expect.stringContaining("removed") });
});

test("a deployment's runs follow one another, and a stage picks one", async () => {
  const { deploymentId, runner: planner } = await running();
  await planner.seal(0, Buffer.from("plan\n"));
  await planner.upload("plan", randomBytes(8));
  await planner.done(PLAN_WITH_CHANGES);
  await decide(api.service, database, deploymentId, "confirm", { action: "apply" } as never);
  const applier = await runner(api, org, await (await coordinator(api, org)).claim());
  await applier.accept();
  await applier.live(0, Buffer.from("apply"));
  expect((await read(deploymentId)).toString()).toBe("plan\napply");
  const stages = await database.sql`select id, kind from stages where deployment_id = ${deploymentId}`;
  const stage = (kind: string) => stages.find((row) => row.kind === kind)?.id as string;
  expect((await read(deploymentId, `?stage=${stage("plan_run")}`)).toString()).toBe("plan\n");
  expect((await read(deploymentId, `?stage=${stage("apply_run")}`)).toString()).toBe("apply");
  expect((await read(deploymentId, `?stage=${stage("confirmation")}`)).toString()).toBe("");
  expect((await reader.request(`/${deploymentId}?stage=${deploymentId}`)).status).toBe(404);
  const whole = await reader.request(`/${deploymentId}`);
  expect(whole.headers.get("x-log-complete")).toBe("false");
  await whole.arrayBuffer();
  const first = await reader.request(`/${deploymentId}?stage=${stage("plan_run")}`, {
    headers: { range: "bytes=1-2" },
  });
  expect([
    first.status,
    first.headers.get("content-range"),
    first.headers.get("x-log-complete"),
    await first.text(),
  ]).toEqual([206, "bytes 1-2/5", "true", "la"]);
  const beyond = await reader.request(`/${deploymentId}`, { headers: { range: "bytes=99-" } });
  expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, "bytes */10"]);
  expect((await reader.request(`/${deploymentId}?offset=x`)).status).toBe(422);
});
