import { stat } from "node:fs/promises";
import type { ArtifactKind } from "../../src/core/runs/protocol.ts";
import type { RunLog } from "../output/runLog.ts";
import { RunFailed } from "../service/outcome.ts";
import { persist } from "../service/retry.ts";
import type { Downloaded } from "../service/serviceClient.ts";
import { ServiceRefused } from "../service/serviceClient.ts";

/** A service away for longer than this fails the run; repeating an upload is safe, since only `done` fixes it. */
export const TRANSFER_WINDOW_MS = 300_000;

/** What moving artifacts needs of the service. */
export interface ArtifactStore {
  putArtifact(kind: ArtifactKind, file: string): Promise<void>;
  getArtifact(kind: ArtifactKind, file: string, maxBytes: number): Promise<Downloaded>;
}

/** Uploads what the run cannot succeed without. @throws RunFailed */
export async function uploadRequired(
  store: ArtifactStore,
  kind: ArtifactKind,
  file: string,
  maxBytes: number,
): Promise<void> {
  const { size } = await stat(file);
  if (size > maxBytes) throw new RunFailed(`The ${kind} artifact has ${size} bytes; the service takes ${maxBytes}.`);
  try {
    await persist(() => store.putArtifact(kind, file), { windowMs: TRANSFER_WINDOW_MS });
  } catch (error) {
    throw new RunFailed(`The ${kind} artifact could not be stored (${(error as Error).message}).`);
  }
}

/** Uploads what people only look at: without it the run goes on, and its log says so. */
export async function uploadOptional(
  store: ArtifactStore,
  kind: ArtifactKind,
  file: string,
  maxBytes: number,
  log: RunLog,
): Promise<void> {
  try {
    await uploadRequired(store, kind, file, maxBytes);
  } catch (error) {
    if (!(error instanceof RunFailed)) throw error;
    log.note(`Left out: ${error.message}`);
  }
}

/** Fetches the saved plan an apply consumes and makes sure that it is the one that was approved. @throws RunFailed */
export async function fetchApprovedPlan(
  store: ArtifactStore,
  file: string,
  expectedSha256: string | null,
  maxBytes: number,
): Promise<void> {
  if (expectedSha256 === null) throw new RunFailed("The run names no plan digest, so its plan cannot be checked.");
  let plan: Downloaded;
  try {
    plan = await persist(() => store.getArtifact("plan", file, maxBytes), { windowMs: TRANSFER_WINDOW_MS });
  } catch (error) {
    const missing = error instanceof ServiceRefused && error.status === 404;
    throw new RunFailed(
      missing ? "The saved plan is gone." : `The saved plan cannot be fetched (${(error as Error).message}).`,
    );
  }
  if (plan.sha256 !== expectedSha256.toLowerCase()) {
    throw new RunFailed("The saved plan is not the one that was approved: its digest differs. Nothing was applied.");
  }
}
