/** Runner machines without an engine: each takes whatever run comes, and has done it at once. */
import { setTimeout as sleep } from "node:timers/promises";
import type { PollAnswer } from "../../src/core/runs/protocol.ts";
import type { BenchContext } from "./bench.ts";
import { APPLIED, CHANGES, type Fleet } from "./runner.ts";

const POLL_SECONDS = 20;
const PAUSE_MS = 200;

export type MachineOptions = {
  count: number;
  /** A run that could not be done; the machine goes on. Absent: `failed` rejects. */
  onError?: (error: unknown) => void;
};

/** They work until the bench ends. @returns `failed`, which never resolves and rejects when one of them gives up */
export function startMachines(
  { closers }: BenchContext,
  fleet: Fleet,
  { count, onError }: MachineOptions,
): { failed: Promise<never> } {
  const stopping = new AbortController();
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const give = onError ?? failed.reject;
  const machines = Array.from({ length: count }, async () => {
    while (!stopping.signal.aborted) {
      try {
        const { assignment } = await fleet.group.poll(POLL_SECONDS, stopping.signal);
        if (assignment !== null) await executeOf(fleet, assignment);
      } catch (error) {
        if (stopping.signal.aborted) return;
        give(error);
        await sleep(PAUSE_MS);
      }
    }
  });
  closers.add(async () => {
    stopping.abort();
    await Promise.all(machines);
  });
  return { failed: failed.promise };
}

/** A plan finds changes; an apply succeeds. */
async function executeOf(fleet: Fleet, claim: PollAnswer): Promise<void> {
  const runner = await fleet.runner(claim);
  await runner.ready();
  const { run } = await runner.accept();
  if (run.kind !== "apply_run") await runner.putArtifact("plan", await fleet.planFile());
  await runner.done(run.kind === "apply_run" ? APPLIED : CHANGES);
}
