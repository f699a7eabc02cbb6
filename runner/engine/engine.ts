import { access, constants } from "node:fs/promises";
import path from "node:path";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import type { RunSettings } from "../config/config.ts";
import type { Sink } from "../output/sink.ts";
import type { Steps } from "../process/steps.ts";
import { RunFailed } from "../service/outcome.ts";
import { type KnownEngine, knownVersion } from "./knownEngine.ts";

export type Tool = RunContext["stack"]["tool"];

export interface Engine {
  tool: Tool;
  program: string;
  /** As its banner says, without the `v`. */
  version: string;
}

const BANNER: Record<Tool, RegExp> = { terraform: /^Terraform v(\S+)/, tofu: /^OpenTofu v(\S+)/ };

/**
 * Finds the engine the stack asks for and makes sure that it is the one. The two are told apart by the banner of plain
 * `version`, because the JSON says `terraform_version` in both. The other engine never stands in. @throws RunFailed
 */
export async function findEngine(
  stack: Pick<RunContext["stack"], "tool" | "tool_version">,
  settings: EnginePaths,
  known: readonly KnownEngine[],
  steps: Steps,
  options: { cwd: string; env: Record<string, string> },
): Promise<Engine> {
  const { tool, tool_version: wanted } = stack;
  const program = await engineProgram(tool, settings);
  if (program === null) throw new RunFailed(`This runner has no ${tool}: it is not on PATH.`);
  const version = (await knownVersion(program, known)) ?? (await askedVersion(tool, program, steps, options));
  if (version === null) throw new RunFailed(`${program} on this runner is not ${tool}.`);
  if (wanted !== null && wanted !== version) {
    throw new RunFailed(`The stack asks for ${tool} ${wanted}, and this runner has ${version}.`);
  }
  return { tool, program, version };
}

export type EnginePaths = Pick<RunSettings, "terraformPath" | "tofuPath">;

/** Where the engine is on this machine, or null. */
export async function engineProgram(tool: Tool, { terraformPath, tofuPath }: EnginePaths): Promise<string | null> {
  return (tool === "terraform" ? terraformPath : tofuPath) ?? (await onPath(tool));
}

/** The version in what an engine prints about itself; null when it is not that engine. */
export function versionIn(banner: string, tool: Tool): string | null {
  return BANNER[tool].exec(banner)?.[1] ?? null;
}

async function askedVersion(
  tool: Tool,
  program: string,
  steps: Steps,
  options: { cwd: string; env: Record<string, string> },
): Promise<string | null> {
  const banner = collector();
  const exit = await steps.run(program, ["version"], { ...options, stdout: banner.sink });
  return exit.code === 0 ? versionIn(banner.text(), tool) : null;
}

/** Whether a version such as `1.9.0-rc1` is at least `major.minor`. */
export function isAtLeast(version: string, major: number, minor: number): boolean {
  const [haveMajor = 0, haveMinor = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  return haveMajor > major || (haveMajor === major && haveMinor >= minor);
}

async function onPath(tool: Tool): Promise<string | null> {
  for (const directory of (process.env.PATH ?? "").split(path.delimiter)) {
    if (!path.isAbsolute(directory)) continue;
    const program = path.join(directory, tool);
    const usable = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (usable) return program;
  }
  return null;
}

function collector(): { sink: Sink; text: () => string } {
  const parts: Buffer[] = [];
  const sink = { write: (bytes: Buffer) => void parts.push(bytes), end: () => {} };
  return { sink, text: () => Buffer.concat(parts).toString("utf8") };
}
