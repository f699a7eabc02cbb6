/** A check for drift that gives way: nobody waits for it, and it is made again later. Pure. */
import type { Change } from "../change.ts";
import type { Lane } from "../lane.ts";
import { isTerminal } from "../lifecycle.ts";
import { isBeingCancelled } from "../possible.ts";
import { withdraw } from "./withdraw.ts";

/** Null when it has ended or is being stopped already. */
export function decideWithdrawCheck(lane: Lane): Change | null {
  const { mode, status } = lane.deployment;
  return mode !== "drift" || isTerminal(status) || isBeingCancelled(status) ? null : withdraw(lane);
}
