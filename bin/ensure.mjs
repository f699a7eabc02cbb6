#!/usr/bin/env node
// Runs a program of this repository with the right Node, installing dependencies first when they are missing or not
// those of package-lock.json. Plain JavaScript for Node 18 and newer, since it runs before anything is installed.
//
//   node bin/ensure.mjs FILE [ARGUMENTS]
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import Module from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const LOCAL_NODE = join(ROOT, "node_modules/node/bin/node");
const NEEDED_MAJOR = 24;
/** Set for the program that is started with another Node than ours: the launcher's process id. */
const LAUNCHER = "ENSURE_LAUNCHER";

// Compiled code is kept for the next start, also for the programs that this one starts. Where it cannot be written,
// Node goes without.
process.env.NODE_COMPILE_CACHE ??= join(ROOT, "node_modules/.cache/compile");

const launcher = process.env[LAUNCHER];
delete process.env[LAUNCHER];
if (launcher === undefined && !installed()) install();

const [file, ...args] = process.argv.slice(2);
if (file === undefined) {
  console.error("usage: node bin/ensure.mjs FILE [ARGUMENTS]");
  process.exit(2);
}
const entry = resolve(ROOT, file);
if (launcher !== undefined || major(process.version) >= NEEDED_MAJOR) {
  process.argv = [process.argv[0], entry, ...args];
  whenOrphaned(() => process.kill(process.pid, "SIGTERM"));
  Module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  // Not import(): the programs look at import.meta.main, which holds only for what Node itself calls its entry point.
  Module.runMain(entry);
} else {
  // Through this file again: the program then notices when its launcher is gone, killed without a chance to stop it.
  runWithLocalNode([fileURLToPath(import.meta.url), file, ...args]);
}

function major(version) {
  return Number(/^v?(\d+)/.exec(version)?.[1] ?? 0);
}

/** Whether node_modules holds what the lock file says; optional packages of other platforms may be absent. */
function installed() {
  try {
    const wanted = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")).packages;
    const present = JSON.parse(readFileSync(join(ROOT, "node_modules/.package-lock.json"), "utf8")).packages;
    return Object.entries(wanted).every(
      ([path, { version, optional }]) =>
        path === "" || (present[path] === undefined && optional) || present[path]?.version === version,
    );
  } catch {
    return false;
  }
}

function install() {
  console.error("Installing dependencies (npm ci) ...");
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ["npm"];
  const [command, ...first] = npm;
  const steps = [
    // Called from inside an npm script: its own settings must not be taken for those of the inner call.
    ["ci", "--no-fund", "--no-audit", "--loglevel=error"],
    // Part of the step before, unless npm has been told to run no scripts.
    ["run", "--silent", "mend"],
  ];
  for (const step of steps) {
    const { status } = spawnSync(command, [...first, ...step], { cwd: ROOT, stdio: ["ignore", 2, 2] });
    if (status === 0) continue;
    console.error(`npm ${step.join(" ")} failed`);
    process.exit(1);
  }
}

/** The npm package `node` fetches its executable in an install script, which npm may have been told not to run. */
function localNode() {
  if (!existsSync(LOCAL_NODE)) {
    const folder = join(ROOT, "node_modules/node");
    spawnSync(process.execPath, ["installArchSpecificPackage.js"], { cwd: folder, stdio: ["ignore", 2, 2] });
  }
  if (existsSync(LOCAL_NODE)) return LOCAL_NODE;
  console.error(`Node ${NEEDED_MAJOR} or newer is needed; this is ${process.version}`);
  process.exit(1);
}

function runWithLocalNode(argv) {
  const path = [join(ROOT, "node_modules/.bin"), process.env.PATH]
    .filter(Boolean)
    .join(process.platform === "win32" ? ";" : ":");
  const child = spawn(localNode(), argv, {
    stdio: "inherit",
    env: { ...process.env, PATH: path, [LAUNCHER]: `${process.pid}` },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  whenOrphaned(() => child.kill("SIGTERM"));
  child.on("exit", (code, signal) => {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(name);
    if (signal) process.kill(process.pid, signal);
    else process.exit(code ?? 1);
  });
}

/**
 * Once the npm that started us was killed, nobody is left to stop the program. Started without npm, it is meant to
 * stay.
 */
function whenOrphaned(stop) {
  if (process.env.npm_lifecycle_event === undefined && launcher === undefined) return;
  // The launcher may be gone before we have begun to look.
  const parent = launcher === undefined ? process.ppid : Number(launcher);
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    stop();
  }, 500);
  watch.unref();
}
