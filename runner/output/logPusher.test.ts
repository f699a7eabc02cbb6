import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { pino } from "pino";
import { expect, test } from "vitest";
import type { ComeAgain } from "../service/comeAgain.ts";
import { ServiceRefused, ServiceUnreachable } from "../service/serviceClient.ts";
import { LogPusher, type LogTarget } from "./logPusher.ts";
import { firstError, RunLog } from "./runLog.ts";

const CHUNK = 64;
const silent = pino({ level: "silent" });

/** Keeps what arrives and fails when told to; like the service it lets live bytes only extend their chunk. */
class Target implements LogTarget {
  readonly sealed = new Map<number, Buffer>();
  readonly live = new Map<number, Buffer>();
  failures: boolean[];
  pushes = 0;
  comeAgainMs: number | null = null;

  constructor(failures: boolean[] = []) {
    this.failures = failures;
  }

  async pushLive(chunkIndex: number, sealedChunks: number, data: string): Promise<ComeAgain> {
    this.#maybeFail();
    this.pushes += 1;
    const bytes = gunzipSync(Buffer.from(data, "base64"));
    expect(sealedChunks).toBe(this.sealed.size);
    expect(bytes.subarray(0, this.live.get(chunkIndex)?.length ?? 0)).toEqual(
      this.live.get(chunkIndex) ?? bytes.subarray(0, 0),
    );
    this.live.set(chunkIndex, bytes);
    return { comeAgainMs: this.comeAgainMs };
  }

  async sealChunk(index: number, bytes: Uint8Array): Promise<void> {
    this.#maybeFail();
    this.sealed.set(index, Buffer.from(bytes));
  }

  #maybeFail(): void {
    if (this.failures.shift() === true) throw new ServiceUnreachable("PUT", "ECONNRESET");
  }
}

function newLog(): RunLog {
  return new RunLog(path.join(mkdtempSync(path.join(tmpdir(), "run-log-")), "run.log"), [], CHUNK, undefined, "raw");
}

async function untilLive(target: Target, index: number): Promise<void> {
  await expect.poll(() => target.live.has(index), { timeout: 5_000, interval: 5 }).toBe(true);
}

test("whatever is written and whatever fails, the sealed chunks join to the log", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 150 }), { maxLength: 8 }),
      fc.array(fc.boolean(), { maxLength: 3 }),
      async (writes, failures) => {
        const log = newLog();
        const target = new Target(failures);
        const pusher = new LogPusher(log, target, 1, silent);
        const output = log.stream();
        pusher.start();
        for (const bytes of writes) {
          output.write(Buffer.from(bytes));
          await new Promise(setImmediate);
        }
        output.end();
        const arrived = () => [...target.sealed.values(), target.live.get(target.sealed.size) ?? ""];
        const bytesArrived = () => arrived().reduce((sum, chunk) => sum + chunk.length, 0);
        await expect.poll(bytesArrived, { interval: 1 }).toBe(log.size);
        target.failures = [];
        expect(await pusher.close(5_000)).toBe(true);
        log.close();
        const chunks = [...target.sealed.keys()]
          .sort((a, b) => a - b)
          .map((index) => target.sealed.get(index) ?? Buffer.alloc(0));
        expect(Buffer.concat(chunks)).toEqual(Buffer.concat(writes));
        expect(chunks.slice(0, -1).every((chunk) => chunk.length === CHUNK)).toBe(true);
      },
    ),
    { numRuns: 40 },
  );
});

test("a chunk of exactly the sealing size is sealed once and the next one starts empty", async () => {
  const log = newLog();
  const target = new Target();
  const pusher = new LogPusher(log, target, 1, silent);
  log.stream().write(Buffer.alloc(CHUNK, "x"));
  pusher.start();
  await expect.poll(() => target.sealed.size, { interval: 5 }).toBe(1);
  log.stream().write(Buffer.from("more"));
  await untilLive(target, 1);
  expect(target.live.has(0)).toBe(false);
  await pusher.close(1_000);
  expect([...target.sealed.entries()]).toEqual([
    [0, Buffer.alloc(CHUNK, "x")],
    [1, Buffer.from("more")],
  ]);
});

test("pushes as seldom as the service wants it, and often again once it says nothing", async () => {
  const log = newLog();
  const target = new Target();
  target.comeAgainMs = 60_000;
  const pusher = new LogPusher(log, target, 40, silent);
  const writing = setInterval(() => log.stream().write(Buffer.from("x")), 5);
  pusher.start();
  await expect.poll(() => target.pushes, { interval: 5 }).toBe(1);
  const from = performance.now();
  target.comeAgainMs = null;
  await expect.poll(() => target.pushes, { interval: 2 }).toBe(2);
  // Five of its own intervals, which is as much as it lets itself be told.
  expect(performance.now() - from).toBeGreaterThan(150);
  await expect.poll(() => target.pushes, { interval: 5 }).toBeGreaterThan(3);
  clearInterval(writing);
  await pusher.close(1_000);
});

test("a chunk that the service will not have is left out, and the later ones still arrive", async () => {
  const log = newLog();
  const target = new Target();
  const take = target.sealChunk.bind(target);
  target.sealChunk = async (index, bytes) => {
    if (index === 0) throw new ServiceRefused("PUT", 413, null, "too long");
    await take(index, bytes);
  };
  const pusher = new LogPusher(log, target, 60_000, silent);
  log.stream().write(Buffer.alloc(CHUNK + 5, "x"));
  expect(await pusher.close(1_000)).toBe(true);
  expect([...target.sealed.keys()]).toEqual([1]);
});

test("close gives up after its window and can go on later", async () => {
  const log = newLog();
  const target = new Target(Array(50).fill(true));
  const pusher = new LogPusher(log, target, 60_000, silent);
  log.note("hello");
  expect(await pusher.close(300)).toBe(false);
  target.failures = [];
  expect(await pusher.close(300)).toBe(true);
  expect(target.sealed.get(0)?.toString()).toBe("==> hello\n");
});

test("a line of the runner's own begins a line, whatever the program before it left unfinished", () => {
  const log = newLog();
  log.note("begins");
  const output = log.stream();
  output.write(Buffer.from("no newline"));
  log.note("ends");
  output.write(Buffer.from("a line\n"));
  log.note("again");
  const text = log.read(0).toString() + log.read(1).toString();
  expect(text.slice(0, log.size)).toBe("==> begins\nno newline\n==> ends\na line\n==> again\n");
});

test("the first error of the engine's output is found inside its box", () => {
  const output = "before\n╷\n│ Error: Invalid value\n│ \n│   on main.tf line 2:\n│ it is wrong\n╵\nafter\n";
  expect(firstError(output)).toBe("Error: Invalid value on main.tf line 2: it is wrong after");
  expect(firstError("fatal: couldn't find remote ref\n")).toBe("fatal: couldn't find remote ref");
  expect(firstError("all is well\n")).toBe("");
});
