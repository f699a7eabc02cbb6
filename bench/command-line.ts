/**
 * The command line as it is built, started anew each time: until the first output of `--version` and `whoami` over
 * loopback, beside a bare start of Node.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { atMost, type Bench, type BenchContext, type BenchResult } from "./harness/bench.ts";
import { startProduct } from "./harness/product.ts";
import { summary } from "./harness/statistics.ts";

const ROUNDS = 30;
const ROOT = fileURLToPath(new URL("..", import.meta.url));

export const bench: Bench = { what: "the command line, from its start to its first output", run: measure };

async function measure(context: BenchContext): Promise<BenchResult> {
  execFileSync(process.execPath, [join(ROOT, "cli/build.ts")], { stdio: "ignore" });
  const product = await startProduct(context, { workers: 1 });
  const env = {
    ...process.env,
    DEPLOY_HOST: product.baseUrl,
    DEPLOY_ORG: product.org.orgId,
    DEPLOY_TOKEN: product.org.adminToken,
    DEPLOY_CONFIG_DIR: context.folder,
    NODE_COMPILE_CACHE: join(context.folder, "compiled"),
  };
  const executable = join(ROOT, "dist/cli/deploy");
  const folder = [process.execPath, join(ROOT, "bin/deploy.mjs")] as const;
  const calls: Record<string, readonly [string, ...string[]]> = {
    node: [process.execPath, "-e", "console.log(0)"],
    version: [executable, "--version"],
    version_of_folder: [...folder, "--version"],
    whoami: [executable, "whoami"],
    whoami_of_folder: [...folder, "whoami"],
  };
  const taken: Record<string, number[]> = Object.fromEntries(Object.keys(calls).map((name) => [name, []]));
  // One after the other, round by round, so that what else the machine does meets all of them.
  for (let round = 0; round < ROUNDS + 2; round++) {
    for (const [name, [program, ...args]] of Object.entries(calls)) {
      const ms = await untilFirstOutput(program, args, env);
      if (round >= 2) taken[name]!.push(ms);
    }
  }
  const figures = Object.fromEntries(Object.entries(taken).map(([name, each]) => [name, summary(each)]));
  for (const [name, { p50, p99 }] of Object.entries(figures))
    context.say(`${name.padEnd(18)} p50 ${p50} ms, p99 ${p99} ms`);
  return {
    figures,
    bars: {
      "--version until its first output, ms": atMost(figures.version!.p50, 30),
      "whoami on loopback until its first output, ms": atMost(figures.whoami!.p50, 150),
    },
  };
}

/** From the call to the first byte on its stdout; it has ended when this returns. */
async function untilFirstOutput(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const started = performance.now();
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const closed = once(child, "close");
  await once(child.stdout, "data");
  const ms = performance.now() - started;
  child.stdout.resume();
  const [code] = await closed;
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}`);
  return ms;
}
