/** The console that the API serves, built when it is missing or older than its sources. */
import { fileURLToPath } from "node:url";
import { run } from "./run.ts";

/** A program of its own: most starts have nothing to build, and need none of what builds it. */
const BUILD = fileURLToPath(new URL("../../../console/build/build.ts", import.meta.url));
const LONGEST_MS = 300_000;

/** Without it everything else works, and links lead to the resources themselves. */
export async function buildConsole(log: (line: string) => void): Promise<void> {
  const { ok, output } = await run(process.execPath, [BUILD], { timeoutMs: LONGEST_MS });
  if (!ok) log(`the console was not built: ${output}`);
}
