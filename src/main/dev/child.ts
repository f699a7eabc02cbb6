/** Long-running child processes: started apart from the terminal, logged to a file, and never left behind. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { run } from "./run.ts";

export type Child = {
  pid: number;
  /** Resolves when the process is gone, with how it ended ("code 0", "signal SIGKILL"). Never rejects. */
  exited: Promise<string>;
  /** Send `signal`, wait up to `graceMs`, then kill. Resolves when the process is gone. */
  stop(signal?: NodeJS.Signals, graceMs?: number): Promise<void>;
};

export type ChildOptions = {
  /** Standard output and error are appended here; without it they are dropped. */
  logFile?: string;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Run as this user (needs root). */
  user?: { uid: number; gid: number };
  /** Let that user walk through and read folders closed to it, as root could. Linux with `setpriv` only. */
  readAnything?: boolean;
  /** The signal the process gets when this one dies by kill -9. Linux with `setpriv` only. */
  orphanSignal?: "INT" | "TERM" | "KILL";
};

/**
 * Start a process in a group of its own, so that Ctrl-C in a terminal reaches only us and we stop things in order.
 * @throws when the program cannot be started.
 */
export async function startChild(command: string, args: readonly string[], options: ChildOptions = {}): Promise<Child> {
  const log = options.logFile === undefined ? undefined : openSync(options.logFile, "a", 0o600);
  const [program, ...argv] = await withPrivileges([command, ...args], options);
  const child = spawn(program as string, argv, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: ["ignore", log ?? "ignore", log ?? "ignore"],
    detached: true,
    ...(program === command ? options.user : undefined),
  });
  if (log !== undefined) closeSync(log);
  await Promise.race([once(child, "spawn"), once(child, "error").then(([error]) => Promise.reject(error))]);
  return handle(child);
}

function handle(child: ChildProcess): Child {
  const pid = child.pid as number;
  const exited = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal === null ? `code ${code}` : `signal ${signal}`));
  });
  return {
    pid,
    exited,
    async stop(signal = "SIGTERM", graceMs = 10_000) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

let setpriv: Promise<boolean> | undefined;

/**
 * Linux' `setpriv` changes user, keeps single capabilities and asks for a signal on our death, then runs the command.
 */
async function withPrivileges(
  command: string[],
  { user, readAnything, orphanSignal }: ChildOptions,
): Promise<string[]> {
  if (!user && !orphanSignal) return command;
  setpriv ??= run("setpriv", ["--pdeathsig", "KILL", "true"]).then((result) => result.ok);
  if (!(await setpriv)) {
    if (readAnything) throw new Error("setpriv (util-linux) is needed to run Postgres below a folder closed to others");
    return command;
  }
  const flags: string[] = [];
  if (user) flags.push("--reuid", String(user.uid), "--regid", String(user.gid), "--clear-groups");
  if (readAnything) flags.push("--inh-caps", "+dac_read_search", "--ambient-caps", "+dac_read_search");
  if (orphanSignal) flags.push("--pdeathsig", orphanSignal);
  return ["setpriv", ...flags, ...command];
}

/**
 * Stop the process that an earlier run noted in `pidFile` (its first line), if it is still there. A process id may have
 * been given to another program since, so the command line must contain `mark`.
 */
export async function stopLeftover(
  pidFile: string,
  mark: string,
  { signal = "SIGTERM", graceMs = 20_000 }: { signal?: NodeJS.Signals; graceMs?: number } = {},
): Promise<void> {
  const pid = Number.parseInt(await readFile(pidFile, "utf8").catch(() => ""), 10);
  if (!(pid > 1)) return;
  const killAt = Date.now() + graceMs;
  for (let sent = false; await isRunning(pid, mark); ) {
    if (Date.now() > killAt + 20_000) throw new Error(`process ${pid} of an earlier run does not stop`);
    if (!sent) signalIfThere(pid, signal);
    else if (Date.now() > killAt) signalIfThere(pid, "SIGKILL");
    sent = true;
    await sleep(50);
  }
}

/** The same for a process that leads a group of its own, with everything in that group. */
export async function stopLeftoverGroup(pidFile: string, mark: string, graceMs: number): Promise<void> {
  const pid = Number.parseInt(await readFile(pidFile, "utf8").catch(() => ""), 10);
  if (!(pid > 1) || !(await isRunning(pid, mark))) return;
  signalIfThere(-pid, "SIGTERM");
  const killAt = Date.now() + graceMs;
  while (Date.now() < killAt && (await isGroupRunning(pid))) await sleep(50);
  signalIfThere(-pid, "SIGKILL");
}

/** Whether anything of the group is more than a zombie. */
async function isGroupRunning(group: number): Promise<boolean> {
  const ids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(ids.map((id) => readFile(`/proc/${id}/stat`, "utf8").catch(() => "")));
  if (ids.length > 0) return stats.some((stat) => new RegExp(`\\) [^ZX] \\d+ ${group} `).test(stat));
  const { ok, stdout } = await run("ps", ["-ww", "-o", "stat=", "-g", String(group)]);
  return ok && stdout.split("\n").some((line) => line.trim() !== "" && !line.trim().startsWith("Z"));
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Whether process `pid` exists, is not a zombie, and has `mark` on its command line. */
export async function isRunning(pid: number, mark: string): Promise<boolean> {
  if (process.platform === "linux") {
    // A zombie's command line is empty. Minimal images have no `ps`.
    return (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).includes(mark);
  }
  const { ok, stdout } = await run("ps", ["-ww", "-o", "stat=,args=", "-p", String(pid)]);
  return ok && !stdout.trim().startsWith("Z") && stdout.includes(mark);
}
