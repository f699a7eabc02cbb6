/** What a run fetches of the service: whole and just what it asked for, or the reason in words that people act on. */
import { Stopped, type StopSignal } from "../process/stop.ts";
import { RunFailed } from "../service/outcome.ts";
import { persist } from "../service/retry.ts";
import { type Downloaded, ServiceRefused } from "../service/serviceClient.ts";
import { TRANSFER_WINDOW_MS } from "./artifacts.ts";

/** How people are told of it. */
export interface Stored {
  /** The beginning of its reasons' codes. */
  kind: "plan" | "tree" | "source";
  /** As a sentence begins, and its verb. */
  name: string;
  verb: "is" | "are";
  /** What it is not, when its digest differs. */
  expected: string;
  /** What is to be done now, and what did not happen. */
  advice: string;
}

const PLAN_AGAIN = "plan again. Nothing was applied";
export const SAVED_PLAN: Stored = {
  kind: "plan",
  name: "The saved plan",
  verb: "is",
  expected: "the one that was approved",
  advice: PLAN_AGAIN,
};
export const PLAN_TREE: Stored = {
  kind: "tree",
  name: "The files of the plan",
  verb: "are",
  expected: "those that it left",
  advice: PLAN_AGAIN,
};
export const UPLOADED_SOURCE: Stored = {
  kind: "source",
  name: "The uploaded source",
  verb: "is",
  expected: "the one that the run was created for",
  advice: "upload it again. Nothing was planned",
};

/** @throws RunFailed, Stopped */
export async function fetchStored(
  { kind, name, verb, expected, advice }: Stored,
  sha256: string,
  stop: StopSignal,
  download: (signal: AbortSignal) => Promise<Downloaded>,
): Promise<void> {
  let fetched: Downloaded;
  try {
    fetched = await persist(() => download(stop.signal), { windowMs: TRANSFER_WINDOW_MS, signal: stop.signal });
  } catch (error) {
    if (error instanceof Stopped) throw error;
    if (error instanceof ServiceRefused && error.status === 404)
      throw new RunFailed(`${name} ${verb} gone from the service: ${advice} (${kind}_missing).`);
    if (error instanceof ServiceRefused && error.code === "artifact_damaged")
      throw new RunFailed(`${name} ${verb} damaged in the service's store: ${advice} (${kind}_damaged).`);
    throw new RunFailed(`${name} cannot be fetched (${(error as Error).message}): ${advice}.`);
  }
  if (fetched.sha256 !== sha256.toLowerCase())
    throw new RunFailed(`${name} ${verb} not ${expected}, its digest differs: ${advice} (${kind}_damaged).`);
}
