import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { OutputPipes } from "./outputPipe.ts";
import { type Exit, runInGroup, SpawnFailed } from "./processGroup.ts";
import { Stopped, StopSignal } from "./stop.ts";

interface Shell {
  exit: Promise<Exit>;
  output: () => string;
  stop: StopSignal;
  groups: (number | null)[];
}

function shell(script: string, graceMs = 20_000, stop = new StopSignal()): Shell {
  const parts: Buffer[] = [];
  const groups: (number | null)[] = [];
  const sink = { write: (bytes: Buffer) => void parts.push(bytes), end: () => {} };
  const exit = runInGroup("/bin/sh", ["-c", script], {
    cwd: "/",
    env: { PATH: process.env.PATH ?? "" },
    pipes: new OutputPipes(),
    stop,
    graceMs,
    stdout: sink,
    stderr: sink,
    onGroup: (group) => groups.push(group),
  });
  return { exit, output: () => Buffer.concat(parts).toString(), stop, groups };
}

async function said(run: Shell, text: string): Promise<void> {
  await expect.poll(run.output, { timeout: 5_000, interval: 5 }).toContain(text);
}

/** A zombie is dead: only its reaping is outstanding. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test("reports how the program ended, and its group while it works", async () => {
  const run = shell("echo out; echo err >&2; exit 3");
  expect(await run.exit).toEqual({ code: 3, signal: null });
  expect(run.output().split("\n").sort()).toEqual(["", "err", "out"]);
  expect(run.groups).toEqual([expect.any(Number), null]);
});

test("a stop interrupts once and leaves time to tidy up", async () => {
  const run = shell("trap 'echo interrupted; exit 7' INT; echo up; while :; do sleep 0.05; done");
  await said(run, "up");
  run.stop.request({ kind: "cancelled" });
  expect(await run.exit).toEqual({ code: 7, signal: null });
  expect(run.output().match(/interrupted/g)).toHaveLength(1);
});

test("what ignores the interrupt is killed after the grace", async () => {
  const run = shell("trap '' INT; echo up; while :; do sleep 0.05; done", 100);
  await said(run, "up");
  run.stop.request({ kind: "timed_out" });
  expect(await run.exit).toEqual({ code: null, signal: "SIGKILL" });
});

test("a run that the service ended is killed at once, also during a grace", async () => {
  const run = shell("trap 'echo interrupted' INT; echo up; while :; do sleep 0.05; done");
  await said(run, "up");
  run.stop.request({ kind: "cancelled" });
  await said(run, "interrupted");
  run.stop.request({ kind: "ended", status: "cancelled" });
  expect(await run.exit).toEqual({ code: null, signal: "SIGKILL" });
});

test("children left behind end with the program", async () => {
  const run = shell("sleep 300 & echo $!");
  await run.exit;
  const pid = Number(run.output());
  await expect.poll(() => isAlive(pid), { interval: 5 }).toBe(false);
});

test("output can go to a file", async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), "group-")), "out");
  await runInGroup("/bin/sh", ["-c", "echo hello"], {
    cwd: "/",
    env: {},
    pipes: new OutputPipes(),
    stop: new StopSignal(),
    graceMs: 1_000,
    stdout: { file },
    stderr: { write: () => {}, end: () => {} },
    onGroup: () => {},
  });
  expect(readFileSync(file, "utf8")).toBe("hello\n");
});

test("nothing starts after a stop, and a missing program is an error of its own", async () => {
  const stop = new StopSignal();
  stop.request({ kind: "shut_down" });
  await expect(shell("echo never", 100, stop).exit).rejects.toThrow(Stopped);
  const sink = { write: () => {}, end: () => {} };
  const missing = runInGroup("/no/such/program", [], {
    cwd: "/",
    env: {},
    pipes: new OutputPipes(),
    stop: new StopSignal(),
    graceMs: 100,
    stdout: sink,
    stderr: sink,
    onGroup: () => {},
  });
  await expect(missing).rejects.toThrow(SpawnFailed);
});

test("a program whose reader was killed can still say what it does, and tidies up", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "orphan-"));
  const script =
    "trap 'echo stopping; echo stopping >&2; touch tidied; exit' INT; touch up; while :; do sleep 0.05; done";
  const reader = spawn(process.execPath, [
    "--input-type=module",
    "-e",
    `const [directory, script] = process.argv.slice(1);
     const { runInGroup } = await import(${JSON.stringify(new URL("processGroup.ts", import.meta.url).href)});
     const { OutputPipes } = await import(${JSON.stringify(new URL("outputPipe.ts", import.meta.url).href)});
     const { StopSignal } = await import(${JSON.stringify(new URL("stop.ts", import.meta.url).href)});
     const sink = { write: () => {}, end: () => {} };
     await runInGroup("/bin/sh", ["-c", script], { cwd: directory, env: { PATH: process.env.PATH },
       pipes: new OutputPipes(), stop: new StopSignal(), graceMs: 1000, stdout: sink, stderr: sink,
       onGroup: (group) => console.log(group) });`,
    directory,
    script,
  ]);
  const group = await new Promise<number>((resolve) => reader.stdout.once("data", (text) => resolve(Number(text))));
  await expect.poll(() => existsSync(path.join(directory, "up")), { timeout: 5_000 }).toBe(true);
  const exited = new Promise((resolve) => reader.once("exit", resolve));
  reader.kill("SIGKILL");
  await exited;
  process.kill(-group, "SIGINT");
  await expect.poll(() => isAlive(group), { timeout: 5_000 }).toBe(false);
  expect(existsSync(path.join(directory, "tidied"))).toBe(true);
});
