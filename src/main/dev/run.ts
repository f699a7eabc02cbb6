/** Runs a short command to its end. */
import { execFile } from "node:child_process";

export type RunResult = {
  ok: boolean;
  stdout: string;
  /** Last line printed, or why the command could not be run: for messages. */
  output: string;
};

/** Run `command` and collect what it prints (16 MiB at most). Never throws: a missing program is `ok: false`. */
export function run(
  command: string,
  args: readonly string[],
  { timeoutMs = 30_000, cwd, env }: { timeoutMs?: number; cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<RunResult> {
  return new Promise((resolve) => {
    execFile(
      command,
      args,
      { timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: 16 << 20, cwd, env: env ?? process.env },
      (error, stdout, stderr) => {
        const said = `${stdout}\n${stderr}`.trim().split("\n").at(-1) ?? "";
        const missing = error !== null && "code" in error && error.code === "ENOENT";
        const output = missing ? "not found" : error?.killed ? `no end within ${timeoutMs} ms` : said;
        resolve({ ok: error === null, stdout, output });
      },
    );
  });
}
