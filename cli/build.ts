/**
 * `npm run cli:build`: the program as one folder of JavaScript, and as one executable that needs nothing installed.
 * The folder is in pieces that are loaded when they are needed; the executable holds one script and Node itself.
 */
import { execFileSync } from "node:child_process";
import { chmod, copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type BuildOptions, build } from "esbuild";
import { version } from "./version.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({ options: { folder: { type: "boolean" }, out: { type: "string" } } });
/** `--out` for a try; the npm bin looks into the one of the project. */
const OUT = values.out === undefined ? join(ROOT, "dist/cli") : resolve(values.out);
/** What Node looks for in itself. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

const define = { DEPLOY_VERSION: JSON.stringify(version()) };
const common: BuildOptions = {
  entryPoints: [join(ROOT, "cli/main.ts")],
  bundle: true,
  platform: "node",
  target: "node24",
  minify: true,
  legalComments: "none",
  external: ["@napi-rs/keyring"],
  define,
  logLevel: "warning",
};

async function folder(): Promise<void> {
  // What was written for CommonJS asks for built-in modules by `require`.
  const banner = { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" };
  await build({
    ...common,
    format: "esm",
    splitting: true,
    outdir: OUT,
    outExtension: { ".js": ".mjs" },
    entryNames: "deploy",
    chunkNames: "part-[hash]",
    banner,
  });
}

async function executable(): Promise<string> {
  const script = join(OUT, "deploy.cjs");
  const blob = join(OUT, "deploy.blob");
  const config = join(OUT, "sea.json");
  const program = join(OUT, process.platform === "win32" ? "deploy.exe" : "deploy");
  // The executable has no address of its own; what asks for one is left out by the version above.
  await build({
    ...common,
    format: "cjs",
    outfile: script,
    define: { ...define, "import.meta.url": "undefined" },
  });
  await writeFile(
    config,
    JSON.stringify({ main: script, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true }),
  );
  execFileSync(process.execPath, ["--experimental-sea-config", config], { stdio: ["ignore", "ignore", "inherit"] });
  await copyFile(process.execPath, program);
  await chmod(program, 0o755);
  const inject = [program, "NODE_SEA_BLOB", blob, "--sentinel-fuse", FUSE];
  execFileSync(process.execPath, [join(ROOT, "node_modules/postject/dist/cli.js"), ...inject], { stdio: "ignore" });
  for (const file of [script, blob, config]) await rm(file);
  return program;
}

await rm(OUT, { recursive: true, force: true });
await mkdir(OUT, { recursive: true });
await folder();
console.log(values.folder ? join(OUT, "deploy.mjs") : await executable());
