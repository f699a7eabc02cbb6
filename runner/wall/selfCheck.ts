/** A coordinator's look at its own wall, before it claims a run: a process behind it tries what a run might try. */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { RunnerConfig } from "../config/config.ts";
import { exitOf } from "../process/childExit.ts";
import { startOf } from "../process/processTable.ts";
import type { EphemeralProgram } from "../program/ephemeralProgram.ts";
import type { Confined, Wall } from "./confined.ts";
import type { ProbeTargets } from "./probe.ts";

/** A container or a pod may have to be fetched first. */
const ANSWER_MS = 60_000;
const END_MS = 10_000;

/** No process can be started or work behind the wall. */
export class WallUnusable extends Error {
  override name = "WallUnusable";
}

/** @returns what a run could reach; empty is right @throws WallUnusable */
export async function breaches(wall: Wall, config: RunnerConfig, program: EphemeralProgram): Promise<string[]> {
  const [inmate, neighbour] = [started(wall), started(wall)];
  try {
    const targets = await targetsOf(neighbour, config, program);
    return await answerOf(inmate, targets);
  } finally {
    await Promise.all([inmate, neighbour].map(end));
  }
}

function started(wall: Wall): Confined {
  try {
    const confined = wall.start();
    // Whoever waits for its answer hears of it too.
    confined.child.on("error", () => {});
    return confined;
  } catch (error) {
    throw new WallUnusable((error as Error).message);
  }
}

async function targetsOf(neighbour: Confined, config: RunnerConfig, program: EphemeralProgram): Promise<ProbeTargets> {
  const { keyFile, metadata, pluginCacheDir, workDir } = config;
  const pids = [process.pid, neighbour.child.pid].filter((pid) => pid !== undefined);
  const starts = pids.map(startOf);
  const secrets = [keyFile, ...(await secretOf(neighbour))];
  return {
    files: await Promise.all(secrets.map(async (file) => ({ path: path.resolve(file), sha256: await digest(file) }))),
    fixed: [path.dirname(program.file), program.file, ...(pluginCacheDir === undefined ? [] : [pluginCacheDir])],
    processes: pids.flatMap((pid, index) => (starts[index] == null ? [] : [{ pid, startedAt: starts[index] }])),
    worksIn: workDir,
    own: [workDir, "/tmp", "/var/tmp"],
    addresses: metadata,
  };
}

/** Something in the directory of another run. */
async function secretOf(neighbour: Confined): Promise<string[]> {
  const { outside } = await neighbour.assign({ run_id: crypto.randomUUID(), runner_id: crypto.randomUUID() });
  if (outside === null) return [];
  const file = path.join(outside, "secret");
  await writeFile(file, crypto.randomUUID());
  return [file];
}

async function digest(file: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
}

/** @throws WallUnusable when it ends without an answer, or could not do a run's work */
async function answerOf(inmate: Confined, targets: ProbeTargets): Promise<string[]> {
  const { child } = inmate;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new WallUnusable("a process behind it does not answer")), ANSWER_MS);
    const fail = (why: string) => {
      clearTimeout(timer);
      reject(new WallUnusable(why));
    };
    child.once("error", (error) => fail(error.message));
    child.once("exit", (code, signal) => fail(`a process behind it ends at once (${code ?? signal})`));
    inmate.onMessage((message) => {
      if (message.type !== "probed") return;
      clearTimeout(timer);
      if (message.enters) resolve(message.reached);
      else
        fail(`its user may not enter ${targets.worksIn}: let others pass the folders above it, or set RUNNER_WORK_DIR`);
    });
    inmate.tell({ type: "probe", targets });
  });
}

async function end(confined: Confined): Promise<void> {
  confined.kill();
  const timer = setTimeout(() => void confined.clear(), END_MS);
  await exitOf(confined.child);
  clearTimeout(timer);
  await confined.clear();
}
