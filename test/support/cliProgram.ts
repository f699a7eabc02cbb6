/** The command line as a program of its own, in a pseudo terminal or without one. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFile, readlink } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { waitFor } from "./waitFor.ts";

const MAIN = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));

export type Started = {
  env?: Record<string, string>;
  cwd?: string;
  /** Somebody sits there. */
  terminal?: boolean;
  /** The executable that is built, rather than the sources. */
  program?: string;
  /** How wide the terminal is. */
  columns?: number;
  /** A shell's command that reads what it writes, without a terminal. */
  pipedInto?: string;
  /** A file that takes what it writes, without a terminal. */
  into?: string;
  /** What comes on stdin, without a terminal. */
  input?: string;
};

const words = (argv: readonly string[]) => argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");

export class CliProgram {
  readonly #child: ChildProcess;
  readonly exited: Promise<number | null>;
  stdout = "";
  stderr = "";
  #grown = () => {};

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.on("data", (bytes: Buffer) => {
      this.stdout += bytes;
      this.#grown();
    });
    child.stderr?.on("data", (bytes: Buffer) => {
      this.stderr += bytes;
      this.#grown();
    });
    this.exited = new Promise((resolve) =>
      child.on("close", (code) => {
        this.#grown();
        resolve(code);
      }),
    );
  }

  static start(args: readonly string[], started: Started = {}): CliProgram {
    const { env = {}, cwd, terminal = false, columns = 120, input = "", pipedInto, into, program } = started;
    const { CI: _, NO_COLOR: __, ...inherited } = process.env;
    const all = { ...inherited, DEPLOY_KEYRING: "off", TERM: "xterm", ...env };
    const command = [...(program === undefined ? [process.execPath, MAIN] : [program]), ...args];
    const options = { env: all, ...(cwd !== undefined && { cwd }) };
    const shell = pipedInto !== undefined ? `| ${pipedInto}` : into !== undefined ? `> '${into}'` : null;
    // `script` gives it a terminal, whose output comes as one stream.
    const child = terminal
      ? spawn("script", ["-qefc", `stty cols ${columns} rows 40; exec ${words(command)}`, "/dev/null"], options)
      : shell !== null
        ? spawn("sh", ["-c", `${words(command)} ${shell}`], options)
        : spawn(command[0]!, command.slice(1), options);
    if (!terminal) child.stdin?.end(input);
    return new CliProgram(child);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** What is on the screen, without colours and moves. */
  get screen(): string {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
    return this.stdout.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, "").replaceAll("\r\n", "\n");
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** Whoever reads what it writes has gone. */
  leaveUnread(): void {
    this.#child.stdout?.destroy();
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** The program itself, where `script` stands before it. */
  async self(): Promise<number> {
    const children = async () => (await readFile(`/proc/${this.pid}/task/${this.pid}/children`, "utf8")).trim();
    return Number(await waitFor(children, { what: "the program in its terminal" }));
  }

  /** No question reads the keys any more: from now on Ctrl-C is a signal. */
  async readsNoKeys(): Promise<void> {
    const terminal = await readlink(`/proc/${await this.self()}/fd/0`);
    const modes = () => execFileSync("stty", ["-F", terminal, "-a"], { encoding: "utf8" });
    await waitFor(() => /[^-]icanon/.test(modes()), { what: "the terminal in its usual mode" });
  }

  /** Whatever it does. */
  async end(): Promise<void> {
    if (this.#child.exitCode === null) this.#child.kill("SIGKILL");
    await this.exited;
  }

  /** @throws with what there is when it ends before, or does not come */
  async sees(pattern: RegExp, from = 0): Promise<void> {
    const late = Date.now() + 45_000;
    const found = () => pattern.test(this.screen.slice(from)) || pattern.test(this.stderr);
    while (!found()) {
      if (this.#child.exitCode !== null || Date.now() > late) {
        throw new Error(`no ${pattern} in\n${this.screen}\n---\n${this.stderr}`);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1_000);
        this.#grown = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** @returns everything, once it has ended */
  static async run(
    args: readonly string[],
    started: Started = {},
  ): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const program = CliProgram.start(args, started);
    const code = await program.exited;
    return { code, stdout: program.stdout, stderr: program.stderr };
  }
}

export const CTRL_C = "\u0003";
export const ENTER = "\r";
export const DOWN = "\u001b[B";
