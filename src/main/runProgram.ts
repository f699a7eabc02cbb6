import { ConfigError } from "../platform/settings/setting.ts";

/**
 * Run a program until SIGTERM or SIGINT, which close it. A setting that is missing or malformed ends it with the one
 * line that names it.
 */
export async function runProgram(start: () => Promise<{ close(): Promise<void> }>): Promise<void> {
  try {
    const program = await start();
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void program.close());
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : error);
    process.exitCode = 1;
  }
}
