import { stat } from "node:fs/promises";
import type { ArtifactKind } from "../../src/core/runs/protocol.ts";
import type { Steps } from "../process/steps.ts";
import { Stopped, type StopSignal } from "../process/stop.ts";
import { RunFailed } from "../service/outcome.ts";
import { persist } from "../service/retry.ts";
import type { Downloaded } from "../service/serviceClient.ts";

/** A service away for longer than this fails the run; repeating an upload is safe, since only `done` fixes it. */
export const TRANSFER_WINDOW_MS = 300_000;

/** What moving artifacts needs of the service; `signal` ends a transfer that goes on. */
export interface ArtifactStore {
  putArtifact(kind: ArtifactKind, file: string, signal: AbortSignal): Promise<void>;
  getArtifact(kind: ArtifactKind, file: string, maxBytes: number, signal: AbortSignal): Promise<Downloaded>;
}

/** Uploads what the run cannot succeed without. @throws RunFailed, Stopped */
export async function uploadRequired(
  store: ArtifactStore,
  kind: ArtifactKind,
  file: string,
  maxBytes: number,
  { signal }: StopSignal,
): Promise<void> {
  const { size } = await stat(file);
  if (size > maxBytes) throw new RunFailed(`The ${kind} artifact has ${size} bytes; the service takes ${maxBytes}.`);
  try {
    await persist(() => store.putArtifact(kind, file, signal), { windowMs: TRANSFER_WINDOW_MS, signal });
  } catch (error) {
    if (error instanceof Stopped) throw error;
    throw new RunFailed(`The ${kind} artifact could not be stored (${(error as Error).message}).`);
  }
}

/** Uploads what people only look at: without it the run goes on, and its log says so. @throws Stopped */
export async function uploadOptional(
  store: ArtifactStore,
  kind: ArtifactKind,
  file: string,
  maxBytes: number,
  { log, stop }: Pick<Steps, "log" | "stop">,
): Promise<void> {
  try {
    await uploadRequired(store, kind, file, maxBytes, stop);
  } catch (error) {
    if (!(error instanceof RunFailed)) throw error;
    log.note(`Left out: ${error.message}`);
  }
}
