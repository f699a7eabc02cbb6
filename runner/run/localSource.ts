import { mkdir, rm } from "node:fs/promises";
import type { LocalSource } from "../../src/core/runs/protocol.ts";
import type { Steps } from "../process/steps.ts";
import { RunFailed } from "../service/outcome.ts";
import { persist } from "../service/retry.ts";
import { type Downloaded, ServiceRefused } from "../service/serviceClient.ts";
import { stackDirectory } from "./stackDirectory.ts";

/** A service away for longer than this fails the run. */
const FETCH_WINDOW_MS = 300_000;

/** What fetching a source needs of the service. */
export interface SourceStore {
  getSource(file: string, maxBytes: number): Promise<Downloaded>;
}

/**
 * Fetches the archive a person uploaded, makes sure that it is the one the run was created for, and unpacks it. Returns
 * the stack's directory inside it.
 * @throws RunFailed, Stopped
 */
export async function placeSource(
  source: LocalSource,
  workingDirectory: string,
  files: { archive: string; into: string },
  store: SourceStore,
  steps: Steps,
): Promise<string> {
  steps.log.step(`Fetching the uploaded source (${source.size} bytes, SHA-256 ${source.sha256})`);
  await fetchSource(source, files.archive, store);
  steps.stop.check();
  await mkdir(files.into, { mode: 0o700 });
  const { unpackArchive } = await import("../archive/unpackArchive.ts");
  const { entries, bytes } = await unpackArchive(files.archive, files.into, () => steps.stop.check());
  await rm(files.archive);
  steps.log.note(`Unpacked ${entries} entries, ${bytes} bytes`);
  return stackDirectory(files.into, workingDirectory, "in the uploaded source");
}

async function fetchSource({ sha256, size }: LocalSource, archive: string, store: SourceStore): Promise<void> {
  let fetched: Downloaded;
  try {
    fetched = await persist(() => store.getSource(archive, size), { windowMs: FETCH_WINDOW_MS });
  } catch (error) {
    const gone = error instanceof ServiceRefused && error.status === 404;
    throw new RunFailed(
      gone ? "The uploaded source is gone." : `The uploaded source cannot be fetched (${(error as Error).message}).`,
    );
  }
  if (fetched.sha256 !== sha256.toLowerCase()) {
    throw new RunFailed("The uploaded source is not the one the run was created for: its digest differs.");
  }
}
