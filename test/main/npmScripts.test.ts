import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const ROOT = dirname(dirname(import.meta.dirname));

/** Run `npm run SCRIPT` without a single setting, and give back how it ended. */
async function npmRun(script: string) {
  const environment = { HOME: process.env.HOME, PATH: process.env.PATH };
  return await promisify(execFile)("npm", ["run", "--silent", script], { cwd: ROOT, env: environment }).then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      text: error.stdout + error.stderr,
    }),
  );
}

describe("the programs that npm starts", () => {
  // npm puts the project's own Node first on PATH, so this goes through the branch of bin/ensure.mjs that needs no
  // other Node.
  test.each([
    ["api", "SVC_DATABASE_URL is not set"],
    ["worker", "SVC_DATABASE_URL is not set"],
    ["migrate", "SVC_DATABASE_URL is not set"],
    ["admin", "commands:"],
    ["runner", "is not set"],
  ])("%s runs, and says what it lacks", async (script, said) => {
    expect(await npmRun(script)).toEqual({ code: 1, text: expect.stringContaining(said) });
  });
});
