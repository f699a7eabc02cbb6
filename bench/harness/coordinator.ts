/** The reference runner as an operator starts it, with the stub engine, and what it costs. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startChild } from "../../src/main/dev/child.ts";
import type { BenchContext } from "./bench.ts";
import { processTimes } from "./processTime.ts";
import type { Product } from "./product.ts";
import type { Stub } from "./stubEngine.ts";
import { until } from "./until.ts";

const PROGRAM = fileURLToPath(new URL("../../runner/main.ts", import.meta.url));
const IDLE_MS = 300;

export type RealRunner = {
  pid: number;
  /** CPU milliseconds so far of the coordinator and of all it started, read while no run is at work. */
  cpuMs(): Promise<number>;
  stop(): Promise<void>;
};

/** Start one and wait until it is at rest. */
export async function startRunner(
  context: BenchContext,
  { baseUrl, org }: Pick<Product, "baseUrl" | "org">,
  stub: Stub,
  name: string,
  env: Record<string, string> = {},
): Promise<RealRunner> {
  const folder = join(context.folder, name);
  await mkdir(folder);
  const keyFile = join(folder, "key.pem");
  await writeFile(keyFile, org.group.privateKeyPem, { mode: 0o600 });
  const settings = {
    PATH: process.env.PATH ?? "",
    RUNNER_SERVICE_URL: baseUrl,
    RUNNER_GROUP_ID: org.group.groupId,
    RUNNER_KEY_FILE: keyFile,
    RUNNER_WORK_DIR: join(folder, "work"),
    RUNNER_LISTEN: "127.0.0.1:0",
    RUNNER_ISOLATION: "none",
    RUNNER_TERRAFORM_PATH: stub.engine,
    RUNNER_GIT_ALLOW_PROTOCOL: "file",
    RUNNER_LOG_LEVEL: "warn",
  };
  const logFile = join(context.folder, `${name}.log`);
  const child = await startChild(process.execPath, [PROGRAM], {
    logFile,
    env: { ...settings, ...env },
    orphanSignal: "KILL",
  });
  context.closers.add(() => child.stop());
  await atRest(child.pid);
  return { pid: child.pid, cpuMs: () => atRest(child.pid), stop: () => child.stop() };
}

/**
 * Waits until nothing of the tree has used any CPU for a while: runs have ended, and what is kept ready for the next
 * ones is loaded.
 * @returns the CPU milliseconds of all of it so far
 */
async function atRest(pid: number): Promise<number> {
  let [before, since] = [Number.NaN, 0];
  await until("the runner to be at rest", 60_000, async () => {
    const now = (await processTimes({ runner: [pid] }))?.runner ?? Number.NaN;
    if (now !== before) [before, since] = [now, performance.now()];
    return performance.now() - since >= IDLE_MS;
  });
  return before;
}
