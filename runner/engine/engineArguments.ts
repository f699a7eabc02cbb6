import type { RunContext } from "../../src/core/runs/protocol.ts";
import { RunFailed } from "../service/outcome.ts";
import { type Engine, isAtLeast } from "./engine.ts";

type Run = Pick<RunContext["run"], "kind" | "targets" | "excludes" | "replaces">;

/** Another engine that was just interrupted needs a moment to give its lock back. */
const LOCK_TIMEOUT = "30s";

export const INIT_ARGUMENTS = ["init", "-input=false", "-no-color"] as const;

/**
 * For a tree that has everything but providers: they are fetched again and must be those of the lock file. Modules stay
 * what they were, and so does the backend: Terraform takes the recorded one. OpenTofu would take that without the
 * encryption of its state, so it compares the record with the configuration instead.
 */
export function providersArguments(tool: Engine["tool"]): string[] {
  const recorded = tool === "terraform" ? ["-backend=false"] : [];
  return [...INIT_ARGUMENTS, ...recorded, "-get=false", "-upgrade=false", "-lockfile=readonly"];
}

/**
 * Plan-style runs never lock the state; addresses are separate arguments, so nothing in them is an option
 * (docs/rules/deployments.md#addresses-of-resources).
 */
export function planArguments(run: Run, engine: Engine, planFile: string): string[] {
  if (run.excludes.length > 0 && !(engine.tool === "tofu" && isAtLeast(engine.version, 1, 9))) {
    throw new RunFailed(
      `Excluding addresses needs OpenTofu 1.9 or newer; this run uses ${engine.tool} ${engine.version}.`,
    );
  }
  const mode = { destroy_run: ["-destroy"], refresh_run: ["-refresh-only"] }[run.kind as string] ?? [];
  return [
    "plan",
    "-input=false",
    "-no-color",
    "-lock=false",
    "-detailed-exitcode",
    `-out=${planFile}`,
    ...mode,
    ...run.targets.map((address) => `-target=${address}`),
    ...run.excludes.map((address) => `-exclude=${address}`),
    ...run.replaces.map((address) => `-replace=${address}`),
  ];
}

export function applyArguments(planFile: string): string[] {
  return ["apply", "-input=false", "-no-color", "-lock=true", `-lock-timeout=${LOCK_TIMEOUT}`, planFile];
}

export function showJsonArguments(planFile: string): string[] {
  return ["show", "-json", planFile];
}

/** The state as it is now, or the one in a file. */
export function showStateArguments(file?: string): string[] {
  return ["show", "-json", ...(file === undefined ? [] : [file])];
}

export function showTextArguments(planFile: string): string[] {
  return ["show", "-no-color", planFile];
}
