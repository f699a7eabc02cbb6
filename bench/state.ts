/**
 * A run's state through the API as its engine calls it: read, written and locked, each against a bare server that puts
 * the same bytes through the same encryption into the same kind of store, and keeps no rows. Then one of 256 MiB, with
 * the API's memory watched.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { atMost, type Bench, type BenchContext, type BenchResult, exactly, rounded } from "./harness/bench.ts";
import { startPrograms } from "./harness/programs.ts";
import { interleave, ratio, timed, typical } from "./harness/rounds.ts";
import { insertStacks } from "./harness/rows.ts";
import { claimNext, openFleet } from "./harness/runner.ts";
import { limitsText, seedOrg, seedPendingRuns, selectorOf, WIDE_LIMITS } from "./harness/seed.ts";
import { benchPostgres } from "./harness/servers.ts";

const ROUNDS = 8;
const CALLS = 40;
/** Of a stack with some hundred resources. */
const STATE_BYTES = 200_000;
const BIG_BYTES = 268_000_000;
const MIB = 1_048_576;

export const bench: Bench = {
  what: "states as an engine's backend reads, writes and locks them, against a server without rows; 256 MiB in flat memory",
  limitSeconds: 600,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  context.say(limitsText(WIDE_LIMITS));
  const postgres = await benchPostgres(context);
  const { url: databaseUrl, sql } = await postgres.database("bench", 1);
  const org = await seedOrg(sql, WIDE_LIMITS);
  const [stack] = await insertStacks(sql, org.orgId, 1);
  await seedPendingRuns(sql, org.orgId, [stack!.stack_key], [await selectorOf(sql, org.orgId, {})], 1);
  const [api] = await startPrograms(context, {
    databaseUrl,
    // Nothing listens there: states need no workflow.
    temporalAddress: "127.0.0.1:9",
    workers: 0,
  });
  const fleet = await openFleet(api!.baseUrl, org.group, context.folder);
  const claim = await claimNext(fleet);
  const { state } = await (await fleet.runner(claim)).accept();
  // The seed makes plans, which only read.
  await sql`alter table runs disable trigger user`;
  await sql`update runs set kind = 'raw_run', state_locked = true where id = ${claim.run_id}`;
  await sql`alter table runs enable trigger user`;
  const address = `${api!.baseUrl}/api/v1/runs/${claim.run_id}/state`;
  const authorization = `Basic ${Buffer.from(`run:${state?.token}`).toString("base64")}`;
  const bare = await bareServer(context);

  let serial = 0;
  const write = async (bytes = STATE_BYTES) => {
    serial += 1;
    await call(`${address}?ID=bench`, "POST", { authorization, "content-md5": "" }, stateOf(serial, bytes));
  };
  const lock = (method: "LOCK" | "UNLOCK") => call(`${address}/lock`, method, { authorization }, LOCK);
  await lock("LOCK");
  const rounds = await interleave(
    {
      write: () => timed(CALLS, () => write()),
      bareWrite: () => timed(CALLS, (i) => call(`${bare}/state`, "POST", {}, stateOf(i, STATE_BYTES))),
      read: () => timed(CALLS, () => call(address, "GET", { authorization })),
      bareRead: () => timed(CALLS, () => call(`${bare}/state`, "GET", {})),
      lock: async () => {
        await lock("UNLOCK");
        const took = await timed(CALLS, async () => {
          await lock("LOCK");
          await lock("UNLOCK");
        });
        await lock("LOCK");
        return took.map((ms) => ms / 2);
      },
      bareSmall: () => timed(CALLS, () => call(`${bare}/small`, "POST", {}, LOCK)),
    },
    { rounds: ROUNDS },
  );
  const both = (name: keyof typeof rounds) => ({
    p50_ms: rounded(typical(rounds[name], 0.5)),
    p99_ms: rounded(typical(rounds[name], 0.99)),
  });
  const versions = serial;
  const [stored] = await sql`select count(*)::int as n from state_versions where number is not null`;

  const memory = watchMemory(api!.baseUrl);
  await memory.settled();
  const from = await memory.now();
  await write(BIG_BYTES);
  const written = await memory.peak();
  const read = await call(address, "GET", { authorization });
  const peak = Math.max(written, await memory.peak());
  await memory.end();
  context.say(`memory from ${from.toFixed(0)} to at most ${peak.toFixed(0)} MiB with a state of ${read} bytes`);
  return {
    figures: {
      write: both("write"),
      bare_write: both("bareWrite"),
      read: both("read"),
      bare_read: both("bareRead"),
      lock: both("lock"),
      bare_small_write: both("bareSmall"),
      memory_mib: { before: rounded(from), peak: rounded(peak) },
    },
    bars: {
      versions: exactly(stored?.n ?? 0, versions),
      big_state_bytes: exactly(read, stateOf(serial, BIG_BYTES).length),
      write_to_bare_p50: atMost(ratio(rounds.write, rounds.bareWrite, 0.5), 2),
      read_to_bare_p50: atMost(ratio(rounds.read, rounds.bareRead, 0.5), 2),
      lock_to_bare_small_write_p50: atMost(ratio(rounds.lock, rounds.bareSmall, 0.5), 2),
      memory_growth_mib: atMost(peak - from, 160),
    },
  };
}

const LOCK = JSON.stringify({ ID: "bench", Operation: "OperationTypeApply", Who: "bench@here" });

/** The same length for every serial. */
function stateOf(serial: number, bytes: number): Buffer<ArrayBuffer> {
  const head = `{"version":4,"terraform_version":"1.11.4","serial":${String(serial).padStart(9, " ")},"lineage":"bench","outputs":{},"resources":[],"x":"`;
  const state = Buffer.alloc(bytes, "abcdefghij klmnop");
  state.write(head);
  state.write('"}', bytes - 2);
  return state;
}

async function call(
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: string | Buffer<ArrayBuffer>,
): Promise<number> {
  const sent = { ...headers, ...(body !== undefined && { "content-type": "application/json" }) };
  if (body !== undefined && "content-md5" in sent)
    sent["content-md5"] = createHash("md5").update(body).digest("base64");
  const answer = await fetch(url, { method, headers: sent, ...(body !== undefined && { body }) });
  let bytes = 0;
  for await (const chunk of answer.body ?? []) bytes += chunk.length;
  if (!answer.ok) throw new Error(`${method} ${url} was answered with ${answer.status}`);
  return bytes;
}

async function bareServer({ folder, closers }: BenchContext): Promise<string> {
  const program = fileURLToPath(new URL("./state/bareServer.ts", import.meta.url));
  const child = spawn(process.execPath, [program, join(folder, "baseline")], { stdio: ["ignore", "pipe", "inherit"] });
  closers.add(async () => void child.kill());
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return `http://127.0.0.1:${line}`;
}

/** Resident memory of the API in MiB. */
function watchMemory(baseUrl: string) {
  let highest = 0;
  let goesOn = true;
  const now = async () => {
    const text = await (await fetch(`${baseUrl}/metrics`)).text();
    return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1] ?? 0) / MIB;
  };
  const watch = (async () => {
    while (goesOn) {
      highest = Math.max(highest, await now());
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  // Looked at when the watch ends.
  watch.catch(() => {});
  return {
    now,
    settled: () => new Promise<void>((resolve) => setTimeout(resolve, 1_000)),
    async peak() {
      highest = Math.max(highest, await now());
      return highest;
    },
    async end() {
      goesOn = false;
      await watch;
    },
  };
}
