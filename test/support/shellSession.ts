/** A reader's shell: what one block sets, the next one finds. The first command that fails ends it. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/**
 * A reader sees an answer that is a refusal, and waits as long as it takes; here curl fails on one, and pauses are
 * short. The reader works in the project's directory; here only the data folder is in the shell's own, so npm is told
 * where its project is.
 */
const READER = `set -euo pipefail
curl() { command curl --fail-with-body "$@"; }
sleep() { command sleep 0.2; }
npm() { command npm --prefix ${JSON.stringify(ROOT)} "$@"; }
`;

export class ShellSession {
  readonly #shell: ChildProcess;
  #output = "";
  #grown = () => {};

  constructor(directory: string) {
    const env = { ...process.env, TMPDIR: directory, GIT_CONFIG_NOSYSTEM: "1" };
    this.#shell = spawn("bash", ["--noprofile", "--norc"], { cwd: directory, env, stdio: "pipe" });
    for (const stream of [this.#shell.stdout, this.#shell.stderr]) {
      stream?.on("data", (bytes: Buffer) => {
        this.#output += bytes;
        this.#grown();
      });
    }
    this.#shell.on("close", () => this.#grown());
    this.#shell.stdin?.write(READER);
  }

  /** @returns what the code printed. @throws with it when a command fails, or uses a variable that was not set */
  async run(code: string): Promise<string> {
    const end = `end of block ${randomUUID()}`;
    this.#output = "";
    this.#shell.stdin?.write(`${code}\necho '${end}'\n`);
    while (!this.#output.includes(end)) {
      if (this.#shell.exitCode !== null) throw new Error(`the shell ended at\n${code}\nafter\n${this.#output}`);
      await new Promise<void>((grown) => {
        this.#grown = grown;
      });
    }
    return this.#output.slice(0, this.#output.indexOf(end));
  }

  /** What a variable holds by now. */
  async variable(name: string): Promise<string> {
    return (await this.run(`echo "$${name}"`)).trim();
  }

  close(): void {
    this.#shell.kill();
  }
}
