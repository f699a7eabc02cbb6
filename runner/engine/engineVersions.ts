import { execFile } from "node:child_process";
import { createReadStream } from "node:fs";
import { devNull } from "node:os";
import { promisify } from "node:util";
import { type EnginePaths, engineProgram, type Tool, versionIn } from "./engine.ts";
import { fileMark, type KnownEngine } from "./knownEngine.ts";

const run = promisify(execFile);
const TIMEOUT_MS = 30_000;

/** The line by which a program in Go says what it was built from. */
const BUILT_FROM: Record<Tool, string> = {
  terraform: "path\tgithub.com/hashicorp/terraform\n",
  tofu: "path\tgithub.com/opentofu/opentofu/cmd/tofu\n",
};

/**
 * The versions of this machine's engines, asked once for each file. Only of a file that is the engine itself: what
 * stands in for it, as managers of versions do, may be another version in another directory, so each run asks that.
 */
export class EngineVersions {
  readonly #paths: EnginePaths;
  /** Also files that cannot be known, so that none is read again. */
  readonly #asked = new Map<Tool, { program: string; file: string; version: string | null }>();
  #asking: Promise<unknown> = Promise.resolve();

  constructor(paths: EnginePaths) {
    this.#paths = paths;
  }

  /** Looks whether there are new files, beside whatever else goes on. Never throws. */
  refresh(): Promise<unknown> {
    const tools: Tool[] = ["terraform", "tofu"];
    this.#asking = this.#asking.then(() => Promise.all(tools.map((tool) => this.#look(tool).catch(() => {}))));
    return this.#asking;
  }

  /** What is known by now. */
  known(): KnownEngine[] {
    return [...this.#asked.values()].flatMap(({ version, ...file }) =>
      version === null ? [] : [{ ...file, version }],
    );
  }

  async #look(tool: Tool): Promise<void> {
    const program = await engineProgram(tool, this.#paths);
    if (program === null) return;
    const file = await fileMark(program);
    const before = this.#asked.get(tool);
    if (before?.program === program && before.file === file) return;
    const version = (await isBuiltFrom(program, BUILT_FROM[tool])) ? await versionOf(program, tool) : null;
    this.#asked.set(tool, { program, file, version });
  }
}

async function isBuiltFrom(program: string, line: string): Promise<boolean> {
  const needle = Buffer.from(line);
  let tail = Buffer.alloc(0);
  for await (const part of createReadStream(program, { highWaterMark: 1_048_576 })) {
    const bytes = Buffer.concat([tail, part as Buffer]);
    if (bytes.includes(needle)) return true;
    tail = bytes.subarray(-needle.length);
  }
  return false;
}

async function versionOf(program: string, tool: Tool): Promise<string | null> {
  const env = { PATH: process.env.PATH, CHECKPOINT_DISABLE: "1", TF_CLI_CONFIG_FILE: devNull };
  const { stdout } = await run(program, ["version"], { env, cwd: "/", timeout: TIMEOUT_MS });
  return versionIn(stdout, tool);
}
