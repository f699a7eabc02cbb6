import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { Socket } from "node:net";
import type { Sink } from "../output/sink.ts";
import { closePipes, type OutputPipe, type OutputPipes } from "./outputPipe.ts";
import type { StopReason, StopSignal } from "./stop.ts";

/** How long output may still arrive after a process ended: a grandchild can hold the pipe open. */
const PIPE_LINGER_MS = 2_000;

export interface GroupOptions {
  cwd: string;
  env: Record<string, string>;
  pipes: OutputPipes;
  stop: StopSignal;
  /** Milliseconds between the interrupt and the kill. */
  graceMs: number;
  stdout: Sink | { file: string };
  stderr: Sink;
  onGroup: (group: number | null) => void;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** The program could not be started at all; the message is the code of the reason. */
export class SpawnFailed extends Error {
  override name = "SpawnFailed";
}

/**
 * Runs a program in a process group of its own and waits for it. A stop interrupts the whole group once (a second
 * interrupt would make the engine give up without saving its state) and kills it after the grace; a run that the
 * service ended is killed at once. What the program leaves behind in its group is killed when it ends, because a
 * grandchild of a local-exec outlives an interrupt by seconds. @throws SpawnFailed, Stopped
 */
export async function runInGroup(program: string, args: readonly string[], options: GroupOptions): Promise<Exit> {
  options.stop.check();
  const sinks = "file" in options.stdout ? [options.stderr] : [options.stderr, options.stdout];
  const pipes = await options.pipes.take(sinks.length);
  const child = start(program, args, options, pipes);
  const readers = pipes.map(({ reading }) => new Socket({ fd: reading, readable: true, writable: false }));
  const closed = Promise.all(readers.map((reader, index) => pump(reader, sinks[index])));
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) => reject(new SpawnFailed(error.code ?? error.message)));
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  const group = child.pid;
  if (group === undefined) return exited;
  options.onGroup(group);
  const unsubscribe = stopGroup(group, options.stop, options.graceMs);
  try {
    const exit = await exited;
    signalGroup(group, "SIGKILL");
    await Promise.race([closed, pause(PIPE_LINGER_MS)]);
    return exit;
  } finally {
    unsubscribe();
    options.onGroup(null);
    for (const reader of readers) reader.destroy();
    for (const sink of sinks) sink.end();
  }
}

/** The program's ends of the pipes are its own from here on; when it cannot be started, both ends are closed. */
function start(program: string, args: readonly string[], options: GroupOptions, pipes: OutputPipe[]): ChildProcess {
  const { cwd, env, stdout } = options;
  const [err, out] = pipes.map(({ writing }) => writing);
  let file: number | null = null;
  try {
    options.stop.check();
    if ("file" in stdout) file = openSync(stdout.file, "w", 0o600);
    const child = spawned(program, args, { cwd, env, detached: true, stdio: ["ignore", out ?? file, err] });
    for (const { writing } of pipes) closeSync(writing);
    return child;
  } catch (error) {
    closePipes(pipes);
    throw error;
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** Some reasons are thrown, others come as an event. @throws SpawnFailed */
function spawned(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  try {
    return spawn(program, args, options);
  } catch (error) {
    throw new SpawnFailed((error as NodeJS.ErrnoException).code ?? (error as Error).message);
  }
}

/** Sends a signal to a whole process group; a group that is gone is no error. Returns whether there was one. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}

function stopGroup(group: number, stop: StopSignal, graceMs: number): () => void {
  let killTimer: NodeJS.Timeout | null = null;
  const unsubscribe = stop.subscribe((reason: StopReason) => {
    if (reason.kind === "ended") {
      signalGroup(group, "SIGKILL");
    } else if (killTimer === null) {
      signalGroup(group, "SIGINT");
      killTimer = setTimeout(() => signalGroup(group, "SIGKILL"), graceMs);
    }
  });
  return () => {
    unsubscribe();
    if (killTimer !== null) clearTimeout(killTimer);
  };
}

/** Resolves when nobody can write any more. */
function pump(reader: Socket, sink: Sink | undefined): Promise<void> {
  reader.on("data", (bytes: Buffer) => sink?.write(bytes));
  return new Promise((resolve) => reader.once("close", () => resolve()));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
