/** From signing in to what is applied by keys alone, as the tests do it over a whole installation with Terraform. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const VITEST = ["bin/ensure.mjs", "node_modules/vitest/vitest.mjs", "run", "--project", "system"];

/** @returns what went wrong; empty where nothing did */
export async function byKeyboardAlone(): Promise<string> {
  const args = [...VITEST, "test/console/deploymentPath.test.ts", "-t", "by keyboard alone"];
  const env = { ...process.env, NO_COLOR: "1" };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env, timeout: 240_000 });
    // A name that no test has is no success.
    return /\b1 passed\b/.test(stdout) ? "" : stdout;
  } catch (error) {
    return String((error as { stdout?: string }).stdout || error);
  }
}
