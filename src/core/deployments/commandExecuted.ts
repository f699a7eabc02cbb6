/**
 * The event `run_command_executed`: whoever watches what is run on a stack hears of every command that reached a
 * runner (docs/notifications.md#the-events).
 */
import { isRunTerminal } from "../runs/lifecycle.ts";
import type { Change } from "./change.ts";
import type { Lane } from "./lane.ts";

/**
 * The event besides the ending's own, or null: when a raw run that a runner had accepted ends, however it ends. Only
 * the length of the command is told. Pure.
 */
export function commandExecuted(lane: Pick<Lane, "runs" | "deployment">, { run }: Change): Change["event"] | null {
  const raw = lane.runs.find((one) => one.id === run?.id && one.kind === "raw_run" && one.started_at !== null);
  if (!run || !raw || !isRunTerminal(run.to)) return null;
  return {
    name: "run_command_executed",
    runId: raw.id,
    data: { command_bytes: lane.deployment.command_bytes, run_status: run.to },
  };
}
