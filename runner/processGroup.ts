import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { StopReason, StopSignal } from "./stop.ts";

/** How long output may still arrive after a process ended: a grandchild can hold the pipe open. */
const PIPE_LINGER_MS = 2_000;

/** Where a stream of output goes. */
export interface Sink {
  write(bytes: Buffer): void;
  end(): void;
}

export interface GroupOptions {
  cwd: string;
  env: Record<string, string>;
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

/** The program could not be started at all. */
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
  const file = "file" in options.stdout ? openSync(options.stdout.file, "w", 0o600) : null;
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: ["ignore", file ?? "pipe", "pipe"],
  });
  if (file !== null) closeSync(file);
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  if (!("file" in options.stdout)) pump(child.stdout, options.stdout);
  pump(child.stderr, options.stderr);
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
    child.stdout?.destroy();
    child.stderr?.destroy();
    if (!("file" in options.stdout)) options.stdout.end();
    options.stderr.end();
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

function pump(stream: NodeJS.ReadableStream | null, sink: Sink): void {
  stream?.on("data", (bytes: Buffer) => sink.write(bytes));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
