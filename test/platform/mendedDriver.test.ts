/** What each program does with a driver as `npm ci --ignore-scripts` leaves it, or as an older patch has mended it. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const ROOT = dirname(dirname(import.meta.dirname));
const run = promisify(execFile);

/** A folder with the patch and a copy of the driver, to be changed unnoticed by others. */
let copy: string;
const driverFile = () => join(copy, "node_modules/postgres/src/index.js");
const patch = (...flags: string[]) =>
  run(process.execPath, [join(ROOT, "node_modules/patch-package/index.js"), "--error-on-fail", ...flags], {
    cwd: copy,
  });

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "mended-driver-"));
  await mkdir(join(copy, "node_modules"));
  await writeFile(join(copy, "package.json"), "{}");
  await cp(join(ROOT, "patches"), join(copy, "patches"), {
    filter: (file) => !/[+]/.test(file) || file.includes("postgres+"),
    recursive: true,
  });
  await cp(join(ROOT, "node_modules/postgres"), join(copy, "node_modules/postgres"), { recursive: true });
});
afterAll(() => rm(copy, { recursive: true, force: true }));

/** Run a file of the product with the copied driver in place of the installed one, without a single setting. */
async function start(file: string) {
  const driver = JSON.stringify({ url: pathToFileURL(driverFile()).href, shortCircuit: true });
  const hook = `import { registerHooks } from "node:module";
    registerHooks({ resolve: (name, context, next) => name === "postgres" ? ${driver} : next(name, context) });`;
  const args = ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, join(ROOT, file)];
  return await run(process.execPath, args, { env: { PATH: process.env.PATH } }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );
}

const refusal = (found: string, remedy: string) => ({
  code: 1,
  stdout: "",
  stderr: `The Postgres driver lacks the mends of patches/ (needed: 3.4.9+1, found: ${found}). Run: ${remedy}\n`,
});

describe("the driver as released", () => {
  beforeAll(() => patch("--reverse"));

  test.each(["api", "worker", "admin", "all", "demo"])("%s says what to run, and nothing else", async (program) => {
    expect(await start(`src/main/${program}.ts`)).toEqual(refusal("none", "npm run mend"));
  });
});

describe("the driver mended again", () => {
  beforeAll(() => patch());

  test("is taken", async () => {
    expect(await start("src/platform/db/client.ts")).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("is refused when its patch was another", async () => {
    const mended = await readFile(driverFile(), "utf8");
    await writeFile(driverFile(), mended.replace("mended: '3.4.9+1'", "mended: '3.4.9+0'"));
    expect(await start("src/platform/db/client.ts")).toEqual(refusal("3.4.9+0", "npm ci"));
  });
});
