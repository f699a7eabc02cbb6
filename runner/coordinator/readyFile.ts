/** Says to whoever started the coordinator that it works, and behind which wall its runs are. */
import { rename, rm, writeFile } from "node:fs/promises";
import type { Isolation } from "../config/isolation.ts";

export interface Readiness {
  pid: number;
  isolation: Isolation;
  address: string;
}

/** It appears whole. @returns how to take it away again */
export async function writeReadyFile(file: string | undefined, readiness: Readiness): Promise<() => Promise<void>> {
  if (file === undefined) return async () => {};
  await writeFile(`${file}.new`, `${JSON.stringify(readiness)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return () => rm(file, { force: true });
}
