/** The walls that this machine can make, and a stand-in for what an operator's launch command starts. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { isProcessAlive } from "../../runner/process/processTable.ts";
import { RunnerProcess, TOOL } from "./runnerProcess.ts";
import type { ScriptedService } from "./scriptedService.ts";

const PROJECT = path.resolve(import.meta.dirname, "../..");
const hasBubblewrap = spawnSync("bwrap", ["--ro-bind", "/", "/", "true"]).status === 0;
const isRoot = process.getuid?.() === 0;

export const WALLS = [
  ...(hasBubblewrap ? ["bubblewrap"] : []),
  ...(isRoot ? ["user"] : []),
  ...(hasBubblewrap ? ["command"] : []),
];
/** What may be around a run, nothing included. */
export const DRIVERS = [...WALLS, "none"];

/** A container made by hand. What it may write to stands where the name of an image would. */
const LAUNCHER = [
  `binds=; IFS=:; for folder in $RUN_IMAGE; do binds="$binds --bind $folder $folder"; done; unset IFS;`,
  "exec bwrap --unshare-pid --unshare-ipc --die-with-parent --ro-bind / / --dev /dev --tmpfs /tmp",
  `--proc /proc --remount-ro /proc $binds --dir "$RUN_DIRECTORY" --chdir "$RUN_DIRECTORY" --clearenv --setenv PATH "$PATH"`,
  `${process.execPath} ${path.join(PROJECT, "runner/launched.ts")}`,
].join(" ");

/**
 * A coordinator with this around its runs, which may read these repositories.
 * @param world where stacks keep their state and leave traces: all runs may write there
 */
export function walledRunner(
  service: ScriptedService,
  isolation: string,
  world: string,
  {
    repositories = [],
    env = {},
    opened,
  }: { repositories?: string[]; env?: Record<string, string>; opened?: number } = {},
): RunnerProcess {
  chmodSync(world, 0o777);
  const shown = repositories.map((url) => new URL(url).pathname);
  for (const folder of shown) execFileSync("chmod", ["-R", "a+rX", folder]);
  const started = new RunnerProcess(
    service,
    {
      RUNNER_ISOLATION: isolation,
      RUNNER_METADATA_ADDRESS: "allowed",
      RUNNER_WALL_SHOW: shown.join(","),
      RUNNER_WALL_WRITE: world,
      ...(isolation === "command"
        ? { RUNNER_LAUNCH_COMMAND: LAUNCHER, RUNNER_LAUNCH_IMAGE: [world, ...shown].join(":") }
        : {}),
      ...env,
    },
    opened,
  );
  // What makes these folders gives them to nobody else, and a run may be another user.
  chmodSync(path.dirname(started.keyFile), 0o755);
  return started;
}

/** Everything on this machine that was started with this command line and works, also what nobody waits for. */
export async function processesOf(...command: string[]): Promise<number[]> {
  const wanted = [...command, ""].join("\0");
  const found = processIds().filter((id) => textOf(`/proc/${id}/cmdline`) === wanted);
  const alive = await Promise.all(found.map(isProcessAlive));
  return found.filter((_, index) => alive[index]);
}

/** The process of Node whose run is an apply of this coordinator. */
export function applyingProcess(coordinator: number): number {
  const engine = processIds().find((id) => {
    const command = textOf(`/proc/${id}/cmdline`).split("\0").slice(0, 2).join(" ");
    return command.endsWith(`${TOOL} apply`) && ancestorsOf(id).includes(coordinator);
  });
  return parentOf(Number(engine));
}

/** The nearest first. */
export function ancestorsOf(pid: number): number[] {
  const parent = parentOf(pid);
  return parent > 1 ? [parent, ...ancestorsOf(parent)] : [];
}

function parentOf(pid: number): number {
  return Number(/^PPid:\t(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1]);
}

function processIds(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Empty for a file that is not there. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
