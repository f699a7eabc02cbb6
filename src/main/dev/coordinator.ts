/** The local runner group's coordinator: the product's own runner, as a process beside the service. */
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startChild, stopLeftoverGroup } from "./child.ts";
import { type Engine, withEngine } from "./engine.ts";
import type { Server } from "./supervise.ts";
import { forgetWall, wallOf } from "./wall.ts";

const PROGRAM = fileURLToPath(new URL("../../../runner/main.ts", import.meta.url));
/** Longer than the drain, an interrupt and the last reports below take together. */
const STOP_MS = 90_000;

export type CoordinatorOptions = {
  serviceUrl: string;
  groupId: string;
  keyFile: string;
  workDir: string;
  logFile: string;
  engine: Engine | undefined;
  /** Where the runner says that it works. */
  readyFile: string;
  /** Told of the wall around runs once it is known. */
  onWall(isolation: string): void;
  /** The installation's own folder: no run is to see what is in it. */
  dataFolder: string;
  /** RUNNER_* settings of the caller's environment win over the defaults for a laptop. */
  env?: NodeJS.ProcessEnv;
};

/** A laptop that is asked to stop should not wait for a long apply: it is interrupted, which saves its state. */
const DEFAULTS = {
  RUNNER_DRAIN_TIMEOUT: "PT10S",
  RUNNER_CANCEL_GRACE: "PT30S",
  RUNNER_LISTEN: "127.0.0.1:0",
  RUNNER_ISOLATION: "any",
  // What the machine may do in a cloud is the person's to know.
  RUNNER_METADATA_ADDRESS: "allowed",
  // Where somebody tries things out; runs see nothing else of it.
  RUNNER_WALL_REPOSITORIES: tmpdir(),
  RUNNER_GIT_ALLOW_PROTOCOL: "https:http:ssh:file",
};

/** Start it. Its `stop` lets live runs end for a while, then interrupts them; a second call interrupts them at once. */
export async function startCoordinator(options: CoordinatorOptions): Promise<Server> {
  const env = options.env ?? process.env;
  await forgetWall(options.readyFile);
  const child = await startChild(process.execPath, [PROGRAM], {
    logFile: options.logFile,
    // Its ephemeral runners outlive it and finish their runs; asked to drain, it would interrupt them after a while.
    orphanSignal: "KILL",
    env: {
      ...DEFAULTS,
      ...(options.engine ? withEngine(env, options.engine) : env),
      RUNNER_WALL_HIDE: [env.RUNNER_WALL_HIDE, options.dataFolder].filter(Boolean).join(","),
      RUNNER_SERVICE_URL: options.serviceUrl,
      RUNNER_GROUP_ID: options.groupId,
      RUNNER_KEY_FILE: options.keyFile,
      RUNNER_WORK_DIR: options.workDir,
      RUNNER_READY_FILE: options.readyFile,
    },
  });
  void wallOf(options.readyFile, child).then((isolation) => isolation !== null && options.onWall(isolation));
  return { exited: child.exited, stop: () => child.stop("SIGTERM", STOP_MS) };
}

/** Stop ephemeral runners that outlived the coordinator which started them, as they do when it is killed. */
export async function stopEphemeralRunners(workDir: string): Promise<void> {
  const cells = (await readdir(workDir).catch(() => [])).filter((name) => name.startsWith("cell-"));
  const program = join(dirname(PROGRAM), "ephemeral.ts");
  await Promise.all(cells.map((cell) => stopLeftoverGroup(join(workDir, cell, "owner.pid"), program, STOP_MS)));
}
