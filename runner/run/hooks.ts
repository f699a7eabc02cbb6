/**
 * Commands of the stack's settings around plan and apply (docs/stacks.md#hooks). Each is a step of the run's log under
 * its own name, inside whatever wall the run has.
 */
import type { HookName } from "../../src/core/runs/protocol.ts";
import { Stopped } from "../process/stop.ts";
import { publicReason } from "../process/systemReasons.ts";
import { RunFailed } from "../service/outcome.ts";
import { howItEnded, maskedByState, runScript } from "./script.ts";
import type { RunResources, Workspace } from "./workspace.ts";

/** What a hook is given besides, and what is hidden in its output: all of it when that is known already, or more. */
export type HookInput = { added?: Record<string, string>; sensitive?: readonly Buffer[]; also?: readonly Buffer[] };

/** Nothing where the stack has no such hook. @throws RunFailed, Stopped */
export async function runHook(
  name: HookName,
  resources: RunResources,
  workspace: Workspace,
  { added, sensitive, also = [] }: HookInput = {},
): Promise<void> {
  const { context, steps } = resources;
  const text = context.hooks?.[name];
  if (text === undefined) return;
  const known = sensitive ?? (await maskedByState(resources, workspace)).sensitive;
  const output = { sensitive: [...known, ...also] };
  steps.log.step(`Running the hook ${name} (${Buffer.byteLength(text, "utf8")} bytes)`);
  await steps.trace.step(`hook ${name}`, async () => {
    const exit = await runScript(resources, workspace, { name, text, output, ...(added && { added }) });
    if (exit.code === 0) return;
    const excerpt = steps.log.failureExcerpt();
    throw new RunFailed(`The hook ${name} ${howItEnded(exit)}${excerpt === "" ? "." : `: ${excerpt}`}`, exit.code);
  });
}

/** What was applied stays applied, whatever becomes of this one: what is to be said of it, or null. */
export async function runHookAfterApply(resources: RunResources, workspace: Workspace): Promise<string | null> {
  try {
    await runHook("after_apply", resources, workspace);
    return null;
  } catch (error) {
    return `${reasonOf(error)} What was applied stays applied.`;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof RunFailed) return error.message;
  if (error instanceof Stopped) return "The hook after_apply was stopped.";
  return `The hook after_apply failed: ${publicReason(error)}.`;
}
