import { mkdir, rm } from "node:fs/promises";
import type { LocalSource } from "../../src/core/runs/protocol.ts";
import type { Steps } from "../process/steps.ts";
import type { Downloaded } from "../service/serviceClient.ts";
import { fetchStored, UPLOADED_SOURCE } from "./fetchStored.ts";
import { stackDirectory } from "./stackDirectory.ts";

/** What fetching a source needs of the service. */
export interface SourceStore {
  getSource(file: string, maxBytes: number, signal: AbortSignal): Promise<Downloaded>;
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
  await fetchStored(UPLOADED_SOURCE, source.sha256, steps.stop, (signal) =>
    store.getSource(files.archive, source.size, signal),
  );
  steps.stop.check();
  await mkdir(files.into, { mode: 0o700 });
  const { unpackArchive } = await import("../archive/unpackArchive.ts");
  const { entries, bytes } = await unpackArchive(files.archive, files.into, () => steps.stop.check());
  await rm(files.archive);
  steps.log.note(`Unpacked ${entries} entries, ${bytes} bytes`);
  return stackDirectory(files.into, workingDirectory, "in the uploaded source");
}
