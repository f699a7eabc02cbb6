/**
 * States that the service keeps, while the API, Postgres and engines are killed at any moment of lock, write and
 * unlock: none is lost that was answered, none is doubled or half there, and a run's lock neither outlives it nor ends
 * before it (docs/state.md). `STATE_CHAOS_ROUNDS` and `STATE_CHAOS_SEED` choose how many rounds, and which.
 */
import { createHash, randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { statePlace } from "../../src/core/state/place.ts";
import type { TestDatabase } from "../support/database.ts";
import { makeOrg, makeStack, type TestOrg } from "../support/fixtures.ts";
import { type KillableService, startKillableService } from "../support/killableService.ts";
import { removeTemporaryDirectories } from "../support/runnerProcess.ts";
import { stateAccount } from "../support/stateAccount.ts";
import { type Held, overlaps, randomFrom, StateEngine } from "../support/stateEngine.ts";
import { BACKEND, EngineFolder, resource, state } from "../support/stateTest.ts";
import { waitFor } from "../support/waitFor.ts";
import { writingRun } from "../support/writingRun.ts";

const ROUNDS = Number(process.env.STATE_CHAOS_ROUNDS ?? 9);
const SEED = Number(process.env.STATE_CHAOS_SEED ?? randomInt(2 ** 31));
/** Every so many rounds the engine is a real one. */
const REAL_EVERY = 5;

const VICTIMS = ["api", "postgres", "engine"] as const;
const STEPS = ["lock", "write", "write again", "unlock", "done"] as const;
type Victim = (typeof VICTIMS)[number];
type Step = (typeof STEPS)[number];

let folder: string;
let service: KillableService;
let database: TestDatabase;
let org: TestOrg;
let stackKey: string;
/** A person's engine, which asks for the lock whenever it can. */
let rival: { token: string; address: string };

beforeAll(async () => {
  console.log(`hosted states: seed ${SEED}, ${ROUNDS} rounds`);
  folder = await mkdtemp(join(tmpdir(), "svc-states-"));
  service = await startKillableService(folder);
  database = service.database as TestDatabase;
  org = await makeOrg(database);
  stackKey = await makeStack(database, org.orgId, { slug: "chaos", name: "chaos" });
  rival = {
    token: await stateAccount(database, org.orgId),
    address: `${service.baseUrl}/api/v1/orgs/${org.orgId}/stacks/chaos/state`,
  };
}, 120_000);
afterAll(async () => {
  await service?.close();
  await rm(folder, { recursive: true, force: true });
  removeTemporaryDirectories();
}, 60_000);

/** Again until nothing of what was killed is in the way. */
async function surely<T>(work: () => Promise<T>, what: string): Promise<T> {
  return waitFor(
    async () => {
      const result = await work();
      return { result };
    },
    { what, timeoutMs: 60_000, everyMs: 30 },
  ).then(({ result }) => result);
}

const startRun = () => writingRun({ database, org, stackKey, baseUrl: service.baseUrl });
type Run = Awaited<ReturnType<typeof startRun>>;

/** The coordinator reports the end until it is taken. @returns when that was known */
async function end({ runner: one }: Run, status: "success" | "failure"): Promise<void> {
  await surely(async () => {
    const answer = await one.done({ status });
    const { code } = answer.status === 409 ? ((await answer.json()) as { code?: string }) : {};
    if (answer.status !== 204 && code !== "run_already_terminal") throw new Error(`done was ${answer.status}`);
    return true;
  }, "the end of the run to be taken");
}

/** Locks of runs that are over: looked at all the time, since there is never to be one. */
async function outlived(): Promise<number> {
  const rows = await database.sql`
    select from stack_states s join runs r on r.id = s.lock_run_id
    where r.status not in ('running', 'requested_cancellation', 'cancelling')`;
  return rows.length;
}

type Round = { victim: Victim; step: Step; afterMs: number };

/** What an engine does with a state; `at` is called as each step begins. */
async function work(engine: StateEngine, at: (step: Step) => void, size: number): Promise<void> {
  at("lock");
  await engine.lock();
  const before = (await engine.read())?.serial ?? 0;
  const padding = "x".repeat(size);
  for (const [i, step] of (["write", "write again"] as const).entries()) {
    at(step);
    const serial = before + i + 1;
    const status = await engine.write(
      serial,
      JSON.stringify(state(serial, { outputs: { padding: { value: padding, type: "string" } } })),
    );
    if (status !== 200) throw new Error(`${engine.name}: ${step} was answered ${status}`);
  }
  at("unlock");
  await engine.unlock();
}

/** Asks for the lock again and again, and gives it back at once. */
async function rivalry(engine: StateEngine, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    if (await engine.tryLock()) await engine.unlock();
    await delay(4);
  }
}

async function simulated(number: number, { victim, step, afterMs }: Round, size: number) {
  const run = await surely(startRun, "a run to begin");
  const engine = new StateEngine(`run-${number}`, `${run.base}/runs/${run.runId}/state`, run.token);
  const other = new StateEngine(`rival-${number}`, rival.address, rival.token);
  const over = new AbortController();
  const competing = rivalry(other, over.signal);
  let killed: Promise<void> = Promise.resolve();
  const strike = async () => {
    await delay(afterMs);
    if (victim === "engine") engine.die();
    else {
      await service.kill(victim);
      await service.revive();
    }
  };
  const at = (begun: Step) => {
    if (begun === step) killed = strike();
  };
  const ended = await work(engine, at, size).then(
    () => "success" as const,
    (error: unknown) => {
      if (!engine.isDead) throw error;
      return "failure" as const;
    },
  );
  at("done");
  await end(run, ended);
  engine.die();
  // In the transaction that took the end.
  expect(await surely(outlived, "the database")).toBe(0);
  await killed;
  over.abort();
  await competing;
  return { stored: engine.stored, held: [...engine.held, ...other.held], runId: run.runId };
}

/** The same by Terraform or OpenTofu itself, which is killed, or whose service is. */
async function real(number: number, { victim, afterMs }: Round) {
  const run = await surely(startRun, "a run to begin");
  const address = `${run.base}/runs/${run.runId}/state`;
  const again = { TF_HTTP_RETRY_MAX: "40", TF_HTTP_RETRY_WAIT_MIN: "1", TF_HTTP_RETRY_WAIT_MAX: "1" };
  const methods = { TF_HTTP_LOCK_METHOD: "PUT", TF_HTTP_UNLOCK_METHOD: "DELETE" };
  const files = { "main.tf": BACKEND + resource("one", `round ${number}`) };
  const engine = new EngineFolder(files, { address }, run.token, { ...again, ...methods });
  await engine.does("init");
  const applying = engine.start("apply", "-auto-approve", "-lock-timeout=60s");
  await delay(afterMs * 60);
  if (victim === "engine") {
    if (applying.child.exitCode === null) process.kill(-(applying.child.pid as number), "SIGKILL");
  } else {
    await service.kill(victim);
    await service.revive();
  }
  const { code, output } = await applying.ended;
  if (victim !== "engine") expect(code, output).toBe(0);
  await end(run, code === 0 ? "success" : "failure");
  expect(await surely(outlived, "the database")).toBe(0);
  return { stored: new Map<number, string>(), held: [] as Held[], runId: run.runId };
}

/** Everything that is ever to be true of the stack's versions. */
async function invariants(stored: ReadonlyMap<number, string>): Promise<number> {
  const rows = await surely(
    () => database.sql`
      select v.*, v.id = s.version_id as newest, s.last_number, s.lock_id from state_versions v
      join stack_states s on s.stack_key = v.stack_key where v.stack_key = ${stackKey} and v.number is not null order by v.number`,
    "the versions",
  );
  expect(rows.map(({ number }) => Number(number))).toEqual(rows.map((_, i) => i + 1));
  const serials = rows.map(({ serial }) => Number(serial));
  expect(serials).toEqual([...new Set(serials)].sort((a, b) => a - b));
  expect(rows.filter(({ newest }) => newest).map(({ number }) => number)).toEqual(
    rows.slice(-1).map(({ number }) => number),
  );
  const bySerial = new Map(rows.map((row) => [Number(row.serial), row]));
  for (const [serial, digest] of stored) expect(bySerial.get(serial)?.sha256).toBe(digest);
  // Whole, as its digest says: those of this round.
  for (const { id, object_key, size, sha256 } of rows.slice(-3)) {
    const body = await service.objects.getSealed(object_key, statePlace(id), Number(size));
    const bytes = body === null ? Buffer.alloc(0) : await buffer(body);
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256);
  }
  return rows.length;
}

test(`${ROUNDS} rounds of kill -9`, { timeout: 60_000 + ROUNDS * 30_000 }, async () => {
  const random = randomFrom(SEED);
  const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T;
  const counts: Record<string, number> = {};
  let versions = 0;
  for (let number = 1; number <= ROUNDS; number++) {
    // Each victim in turn, so that few rounds have all of them.
    const round = { victim: VICTIMS[number % 3] as Victim, step: pick(STEPS), afterMs: random() * 12 };
    const size = Math.floor(random() * 400_000);
    const isReal = number % REAL_EVERY === 0;
    const what = `${round.victim} ${isReal ? "under a real engine" : `at ${round.step}`}`;
    counts[what] = (counts[what] ?? 0) + 1;
    try {
      const { stored, held, runId } = isReal ? await real(number, round) : await simulated(number, round, size);
      expect(overlaps(held)).toEqual([]);
      versions = await invariants(stored);
      const [lock] = await database.sql`select lock_run_id from stack_states where stack_key = ${stackKey}`;
      expect(lock?.lock_run_id ?? null, `the lock of run ${runId}`).toBeNull();
    } catch (error) {
      throw new Error(`round ${number} of seed ${SEED}: ${what}, ${round.afterMs.toFixed(1)} ms later`, {
        cause: error,
      });
    }
  }
  console.log(`hosted states: seed ${SEED}, ${ROUNDS} rounds, ${versions} versions, ${JSON.stringify(counts)}`);
});
