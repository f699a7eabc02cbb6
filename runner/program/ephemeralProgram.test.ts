import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OwnLog } from "../output/ownLog.ts";
import { type Bundle, bundleEphemeral, ROOT, SOURCE } from "./bundle.ts";
import { sha256 } from "./digest.ts";
import { type EphemeralProgram, ephemeralProgram, keepProgram, keptProgram } from "./ephemeralProgram.ts";

const scratch = mkdtempSync(path.join(tmpdir(), "program-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const WAIT = { timeout: 30_000, interval: 1 };

/** A program made of one source, `name`. */
function sourced(name: string, content: string): Bundle {
  const source = path.join(scratch, name);
  writeFileSync(source, content);
  const inputs = { [path.relative(ROOT, source)]: sha256(content) };
  return { files: { "ephemeral.cjs": `module.exports = ${content};` }, inputs };
}

let bundle: Bundle;
let program: EphemeralProgram;
beforeAll(async () => {
  bundle = await bundleEphemeral();
  program = await keepProgram(bundle, path.join(scratch, "bundle"));
});

describe("what is kept", () => {
  test("is taken again until a source changes", async () => {
    const place = path.join(scratch, "kept");
    expect(await keptProgram(place)).toBeNull();
    const kept = await keepProgram(sourced("a.ts", "1"), place);
    expect(await keptProgram(place)).toEqual(kept);
    const next = await keepProgram(sourced("a.ts", "2"), place);
    expect(await keptProgram(place)).toEqual(next);
    expect(next.file).not.toBe(kept.file);
    writeFileSync(path.join(scratch, "a.ts"), "3");
    expect(await keptProgram(place)).toBeNull();
  });

  test("is not taken when a source changed while the program was made, or is gone", async () => {
    const place = path.join(scratch, "changed");
    const made = sourced("b.ts", "1");
    writeFileSync(path.join(scratch, "b.ts"), "2");
    await keepProgram(made, place);
    expect(await keptProgram(place)).toBeNull();
    rmSync(path.join(scratch, "b.ts"));
    expect(await keptProgram(place)).toBeNull();
  });

  test("is not taken when somebody changed it", async () => {
    const place = path.join(scratch, "damaged");
    const { file } = await keepProgram(sourced("c.ts", "1"), place);
    writeFileSync(file, "module.exports = 'of somebody else';");
    expect(await keptProgram(place)).toBeNull();
  });

  test("is whole at every moment while several coordinators make it at once", async () => {
    const place = path.join(scratch, "shared");
    const script = `const { ephemeralProgram } = await import(${JSON.stringify(new URL("ephemeralProgram.ts", import.meta.url).href)});
      const warn = (fields) => { throw fields.err; };
      console.log((await ephemeralProgram({ warn }, ${JSON.stringify(place)})).file);`;
    const made = [1, 2, 3].map(() => promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]));
    let over = false;
    const all = Promise.all(made).finally(() => {
      over = true;
    });
    const manifest = path.join(place, "manifest.json");
    await expect.poll(() => over || statSync(manifest, { throwIfNoEntry: false }) !== undefined, WAIT).toBe(true);
    while (!over) expect(await keptProgram(place)).not.toBeNull();
    const files = (await all).map(({ stdout }) => stdout.trim());
    expect(new Set(files)).toEqual(new Set([(await keptProgram(place))?.file]));
    // Nothing half-written is left behind.
    expect(readdirSync(place).sort()).toEqual([path.basename(path.dirname(String(files[0]))), "manifest.json"]);
  });
});

describe("the bundle", () => {
  test("is made of the sources, the packages, and what says how they are read", async () => {
    const { inputs } = bundle;
    const some = [
      "runner/ephemeral.ts",
      "runner/run/planRun.ts",
      "runner/run/telemetry.ts",
      "runner/program/bundle.ts",
    ];
    for (const file of [...some, "package-lock.json", "tsconfig.json"]) {
      expect(inputs[file], file).toBe(sha256(readFileSync(path.join(ROOT, file))));
    }
    expect(Object.keys(inputs).filter((file) => file.startsWith("node_modules/pino/"))).not.toEqual([]);
    expect(await keptProgram(path.join(scratch, "bundle"))).toEqual(program);
  });

  test("comes with what was compiled of it, which any user of the machine can read", () => {
    const entries = readdirSync(program.env.NODE_COMPILE_CACHE as string, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(statSync(file).mode & 0o044).toBe(0o044);
  });

  test("loads nothing at its start that takes long and that few runs need", () => {
    const script = `process.on("exit", () => console.log(process.moduleLoadList.join("\\n")));
      require(${JSON.stringify(program.file)})`;
    const loaded = execFileSync(process.execPath, ["-e", script], { encoding: "utf8" }).split("\n");
    expect(loaded).toContain("NativeModule http");
    const heavy = ["internal/deps/undici/undici", "crypto", "zlib", "tls", "worker_threads", "assert"];
    expect(heavy.filter((name) => loaded.includes(`NativeModule ${name}`))).toEqual([]);
  });

  test("says in its log where in the sources a failure was", async () => {
    const child = started(program.file);
    const settings = { logLevel: "info", serviceUrl: "http://127.0.0.1:9" };
    const directory = path.join(program.file, "no-folder");
    tell(child, { type: "start", runId: "r", runnerId: "q", token: "", directory, settings, engines: [] });
    const line = JSON.parse(await text(child.stdout as NodeJS.ReadableStream));
    expect(line).toMatchObject({ msg: "the runner failed", runId: "r", err: { code: "ENOTDIR" } });
    expect(line.err.stack).toMatch(/main \(runner[/]ephemeral[.]ts:\d+:\d+\)/);
  });

  test("says where in the sources an error was that nobody caught", async () => {
    const child = started(program.file);
    tell(child, { type: "start" });
    const printed = await text(child.stderr as NodeJS.ReadableStream);
    expect(printed).toMatch(/TypeError: .*\n\s+at main \(runner[/]ephemeral[.]ts:\d+:\d+\)/);
    for (const line of printed.split("\n")) expect(line.length).toBeLessThan(300);
  });
});

test("where nothing may be written runs load the sources, and the operator reads why", async () => {
  const file = path.join(scratch, "a-file");
  writeFileSync(file, "");
  const lines: [object, string][] = [];
  const say = (fields: object, message: string) => void lines.push([fields, message]);
  const log: OwnLog = { debug: say, info: say, warn: say, error: say };
  expect(await ephemeralProgram(log, path.join(file, "below"))).toEqual({ file: SOURCE, env: {} });
  expect(lines).toEqual([
    [expect.objectContaining({ err: expect.anything() }), expect.stringContaining("not bundled")],
  ]);
  const child = started(SOURCE);
  channelOf(child).end();
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("one that is ended while it makes its pipes ends without an error", async () => {
  const children = Array.from({ length: 12 }, () => started(SOURCE));
  for (const child of children) channelOf(child).end();
  const exits = await Promise.all(children.map((child) => once(child, "exit")));
  expect(exits).toEqual(children.map(() => [0, null]));
});

function started(file: string): ChildProcess {
  return spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "pipe", "pipe"] });
}

function channelOf(child: ChildProcess): Duplex {
  return child.stdio[3] as Duplex;
}

function tell(child: ChildProcess, message: object): void {
  channelOf(child).write(`${JSON.stringify(message)}\n`);
}
