import { setTimeout as delay } from "node:timers/promises";
import { signalGroup } from "./processGroup.ts";
import { isGroupAlive } from "./processTable.ts";

/** Interrupts a process group and kills it when it is still there after the grace. */
export async function endGroup(group: number, graceMs: number): Promise<void> {
  if (!signalGroup(group, "SIGINT")) return;
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline && (await isGroupAlive(group))) await delay(100);
  signalGroup(group, "SIGKILL");
}
