/** `npm run bench -- NAME`: run one benchmark; the last line is JSON, the exit code 1 when a bar is missed. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Closers } from "../src/main/dev/closers.ts";
import { allHeld, type Bench, type BenchResult, barText } from "./harness/bench.ts";

const LIMIT_SECONDS = 300;
const USAGE = "usage: npm run bench -- NAME [--keep]   or   npm run bench -- --list";

async function main(args: readonly string[]): Promise<number> {
  const names = await benchNames();
  const [name, ...options] = args;
  if (name === "--list") {
    for (const each of names) console.log(`${each.padEnd(14)} ${(await load(each)).what}`);
    return 0;
  }
  const keep = options[0] === "--keep";
  if (name === undefined || options.length > (keep ? 1 : 0) || !names.includes(name)) {
    console.error(`${USAGE}\nbenches: ${names.join(", ")}`);
    return 2;
  }
  const bench = await load(name);
  console.log(`${name}: ${bench.what}`);
  const { figures, bars } = await stopAfterwards(bench, keep);
  for (const [bar, held] of Object.entries(bars)) console.log(barText(bar, held));
  const ok = allHeld(bars);
  console.log(JSON.stringify({ name, ok, figures, bars }));
  return ok ? 0 : 1;
}

async function benchNames(): Promise<string[]> {
  const files = await readdir(import.meta.dirname, { withFileTypes: true });
  return files
    .filter((file) => file.isFile() && /^[a-z-]+\.ts$/.test(file.name) && file.name !== "main.ts")
    .map((file) => file.name.slice(0, -".ts".length))
    .sort();
}

async function load(name: string): Promise<Bench> {
  return ((await import(`./${name}.ts`)) as { bench: Bench }).bench;
}

/**
 * Run the bench and undo all it started, also when it fails, takes too long or is interrupted. The logs stay when it
 * failed, or when asked for.
 */
async function stopAfterwards(bench: Bench, keep: boolean): Promise<BenchResult> {
  const closers = new Closers();
  const folder = await mkdtemp(join(tmpdir(), "svc-bench-"));
  let removed = false;
  closers.add(async () => {
    if (!removed) console.error(`what the programs logged is in ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  });
  const stopping = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    stopping.signal.addEventListener("abort", () => reject(stopping.signal.reason));
  });
  const limit = bench.limitSeconds ?? LIMIT_SECONDS;
  const timer = setTimeout(() => stopping.abort(new Error(`the bench did not end within ${limit} s`)), limit * 1000);
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stopping.abort(new Error(name)));
  try {
    const say = (line: string) => console.log(`  ${line}`);
    const result = await Promise.race([bench.run({ say, closers, folder, signal: stopping.signal }), stopped]);
    removed = allHeld(result.bars) && !keep;
    return result;
  } finally {
    clearTimeout(timer);
    await closers.close();
  }
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
