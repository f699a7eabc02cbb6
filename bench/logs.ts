/**
 * A log of 1 GiB through the API: in as sealed chunks, out by range reads and as an event stream to a reader that takes
 * it as fast as it comes. Each rate against the same bytes through the same encryption and the same disk without HTTP
 * and Postgres; the API's memory and its answers to health checks are watched all the while.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { RunnerApi } from "../runner/service/runnerApi.ts";
import { LOG_CHUNK_BYTES } from "../src/core/runs/protocol.ts";
import { createKeyring } from "../src/platform/crypto/keyring.ts";
import { openObjectStore } from "../src/platform/objects/openStore.ts";
import { type SealedObjects, sealedObjects } from "../src/platform/objects/sealed.ts";
import { atLeast, atMost, type Bench, type BenchContext, type BenchResult, exactly, rounded } from "./harness/bench.ts";
import { type Program, startPrograms } from "./harness/programs.ts";
import { insertStacks } from "./harness/rows.ts";
import { claimNext, openFleet } from "./harness/runner.ts";
import { limitsText, seedOrg, seedPendingRuns, selectorOf, WIDE_LIMITS } from "./harness/seed.ts";
import { benchPostgres } from "./harness/servers.ts";
import { median } from "./harness/statistics.ts";

const ROUNDS = 8;
const ROUND_CHUNKS = 2_048;
const ROUND_BYTES = ROUND_CHUNKS * LOG_CHUNK_BYTES;
const BYTES = ROUNDS * ROUND_BYTES;
const BARE_CHUNKS = 512;
const AT_ONCE = 8;
const MIB = 1_048_576;

export const bench: Bench = {
  what: "a log of 1 GiB in and out: MB/s against the same bytes without HTTP, memory and health meanwhile",
  limitSeconds: 900,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  context.say(limitsText(WIDE_LIMITS));
  const key = randomBytes(32);
  const postgres = await benchPostgres(context);
  const { url: databaseUrl, sql } = await postgres.database("bench", 1);
  const org = await seedOrg(sql, WIDE_LIMITS);
  const [stack] = await insertStacks(sql, org.orgId, 1);
  await seedPendingRuns(sql, org.orgId, [stack!.stack_key], [await selectorOf(sql, org.orgId, {})], 1);
  const [api] = await startPrograms(context, {
    databaseUrl,
    // Nothing listens there: logs need no workflow.
    temporalAddress: "127.0.0.1:9",
    workers: 0,
    env: { SVC_DATA_ENCRYPTION_KEY: key.toString("base64") },
  });
  const baseUrl = api!.baseUrl;
  const fleet = await openFleet(baseUrl, org.group, context.folder);
  const claim = await claimNext(fleet);
  const runner = await fleet.runner(claim);
  await runner.accept();
  const [row] = await sql`select deployment_id from runs where id = ${claim.run_id}`;
  const logs = `${baseUrl}/api/v1/orgs/${org.orgId}/stacks/${stack!.slug}/deployments/${row?.deployment_id}/logs`;
  const headers = { authorization: `Bearer ${org.adminToken}` };

  const bare = withoutHttp(context, key);
  const watch = watching(api!);
  const into = await inRounds(bare.seal, async (round) => {
    await eachAtOnce(ROUND_CHUNKS, (place) => sealChunk(runner, round * ROUND_CHUNKS + place));
  });
  const afterIn = watch.lap();
  context.say(`in: ${into.product.toFixed(0)} MB/s, memory up to ${afterIn.peak.toFixed(0)} MiB`);
  await runner.done({ status: "failure" });
  let ranged = 0;
  const asBytes = await inRounds(bare.open, async (round) => {
    const from = round * ROUND_BYTES;
    const range = `bytes=${from}-${from + ROUND_BYTES - 1}`;
    ranged += await drain(await fetch(logs, { headers: { ...headers, range } }), (bytes) => bytes.length);
  });
  const afterBytes = watch.lap();
  context.say(`out as bytes: ${asBytes.product.toFixed(0)} MB/s, memory up to ${afterBytes.peak.toFixed(0)} MiB`);
  let last = "";
  const asEvents = await rate(BYTES, async () => {
    const answer = await fetch(logs, { headers: { ...headers, accept: "text/event-stream" } });
    await drain(answer, (chunk) => {
      last = (last + Buffer.from(chunk.subarray(-200)).toString("latin1")).slice(-200);
      return chunk.length;
    });
  });
  const afterEvents = watch.lap();
  context.say(`out as events: ${asEvents.toFixed(0)} MB/s, memory up to ${afterEvents.peak.toFixed(0)} MiB`);
  const slowestMs = await watch.end();
  const followed = Number(/id: (\d+)\nevent: end\n/.exec(last)?.[1] ?? 0);
  return {
    figures: {
      megabytes_per_second: {
        in: rounded(into.product),
        out_bytes: rounded(asBytes.product),
        out_events: rounded(asEvents),
        without_http_in: rounded(into.bare),
        without_http_out: rounded(asBytes.bare),
      },
      api_memory_mib: {
        in: rounded(afterIn.peak),
        out_bytes: rounded(afterBytes.peak),
        out_events: rounded(afterEvents.peak),
      },
      slowest_health_check_ms: rounded(slowestMs),
    },
    bars: {
      bytes_read: exactly(ranged, BYTES),
      bytes_followed: exactly(followed, BYTES),
      in_to_without_http: atLeast(into.ratio, 0.25),
      out_to_without_http: atLeast(asBytes.ratio, 0.35),
      out_events_to_bytes: atLeast(asEvents / asBytes.product, 0.25),
      memory_mib: atMost(Math.max(afterIn.peak, afterBytes.peak, afterEvents.peak), 512),
      memory_growth_out_bytes: atMost(afterBytes.growth, 1.25),
      memory_growth_out_events: atMost(afterEvents.growth, 1.25),
      slowest_health_check_ms: atMost(slowestMs, 1_000),
    },
  };
}

/** Log lines with colours, as an engine writes them; each chunk another one. */
function chunk(index: number): Buffer<ArrayBuffer> {
  const line = `\u001b[1mterraform_data.n[${index}]:\u001b[0m Still creating... [${index}s elapsed] Größe\n`;
  return Buffer.alloc(LOG_CHUNK_BYTES, line);
}

function sealChunk(runner: RunnerApi, index: number): Promise<void> {
  return runner.sealChunk(index, chunk(index));
}

/** Sealing and opening chunks in this process, with the product's own store. */
function withoutHttp({ folder }: BenchContext, key: Buffer): { seal(): Promise<void>; open(): Promise<void> } {
  const keyring = createKeyring({ provider: "aes-256", key, previousKeys: [] });
  const objects = sealedObjects(openObjectStore(`file://${join(folder, "baseline")}`), keyring);
  const place = (index: number) => ({ table: "log_chunks", column: "object_key", rowId: String(index) });
  return {
    seal: () =>
      eachAtOnce(BARE_CHUNKS, async (index) => {
        await objects.putSealed(`chunk-${index}`, place(index), chunk(index));
      }),
    async open() {
      for (let index = 0; index < BARE_CHUNKS; index++) await openOne(objects, index, place(index));
    },
  };
}

type Rates = { product: number; bare: number; ratio: number };

/** Medians of rounds, each of which does both: what else the machine does meets them alike. MB/s. */
async function inRounds(bare: () => Promise<void>, product: (round: number) => Promise<void>): Promise<Rates> {
  const rounds: Rates[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const bareRate = await rate(BARE_CHUNKS * LOG_CHUNK_BYTES, bare);
    const productRate = await rate(ROUND_BYTES, () => product(round));
    rounds.push({ product: productRate, bare: bareRate, ratio: productRate / bareRate });
  }
  const middle = (name: keyof Rates) => median(rounds.map((each) => each[name]));
  return { product: middle("product"), bare: middle("bare"), ratio: middle("ratio") };
}

async function openOne(objects: SealedObjects, index: number, place: Parameters<SealedObjects["getSealed"]>[1]) {
  const body = await objects.getSealed(`chunk-${index}`, place, LOG_CHUNK_BYTES);
  if (Buffer.concat((await body?.toArray()) ?? []).length !== LOG_CHUNK_BYTES) throw new Error("a chunk is not whole");
}

async function eachAtOnce(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function rate(bytes: number, work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return bytes / 1_000 / (performance.now() - from);
}

async function drain(answer: Response, measure: (chunk: Uint8Array) => number): Promise<number> {
  if (!answer.ok || answer.body === null) throw new Error(`the log was answered with ${answer.status}`);
  let total = 0;
  for await (const bytes of answer.body) total += measure(bytes);
  return total;
}

/** Memory of a phase in MiB: its peak, and the peak of its second half over that of its first. */
type Memory = { peak: number; growth: number };

/** Asks the API for its health and its memory, over and over. */
function watching({ baseUrl, healthUrl }: Program): { lap(): Memory; end(): Promise<number> } {
  let samples: number[] = [];
  let slowestMs = 0;
  let goesOn = true;
  const watch = (async () => {
    while (goesOn) {
      const from = performance.now();
      await (await fetch(`${baseUrl}/healthz`)).text();
      slowestMs = Math.max(slowestMs, performance.now() - from);
      const text = await (await fetch(`${healthUrl}/metrics`)).text();
      samples.push(Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1] ?? 0) / MIB);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return {
    lap() {
      const half = Math.ceil(samples.length / 2);
      const [first, second] = [Math.max(...samples.slice(0, half)), Math.max(...samples.slice(half))];
      samples = [];
      return { peak: Math.max(first, second), growth: second / first };
    },
    async end() {
      goesOn = false;
      await watch;
      return slowestMs;
    },
  };
}
