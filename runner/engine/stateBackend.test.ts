import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkBackend, checkHostedBackend, forgetBackend } from "./stateBackend.ts";

let world = "";
let place = "";
let cwd = "";
beforeEach(() => {
  world = realpathSync(mkdtempSync(path.join(tmpdir(), "backend-")));
  place = path.join(world, "place");
  cwd = path.join(place, "files", "stack");
  mkdirSync(cwd, { recursive: true });
});
afterEach(() => rmSync(world, { recursive: true, force: true }));

const NOTHING = { address: null, lock_address: null, password: null };

function record(backend: object | undefined, folder = path.join(cwd, ".terraform")): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, "terraform.tfstate");
  writeFileSync(file, JSON.stringify({ version: 3, ...(backend && { backend }) }));
  return file;
}

describe("where the service keeps the state", () => {
  const check = (env: Record<string, string> = {}) => checkHostedBackend({ cwd, env, hosted: true });

  test("the record has its backend and no value", async () => {
    record({ type: "http", config: NOTHING, hash: 1 });
    await check();
    await expect(check({ TF_DATA_DIR: "other" })).rejects.toThrow("overrides its backend (none)");
  });

  test.each([
    [{ type: "http", config: { ...NOTHING, address: "http://elsewhere" } }, "http, address"],
    [{ type: "http", config: { ...NOTHING, lock_address: "http://elsewhere" } }, "http, lock_address"],
    [{ type: "http", config: { ...NOTHING, password: "", skip_cert: true } }, "http, password, skip_cert"],
    [{ type: "local", config: { path: null } }, "local"],
    [{ type: "cloud", config: {} }, "cloud"],
    [{}, ""],
    [undefined, "none"],
  ])("%j is refused", async (backend, named) => {
    record(backend);
    await expect(check()).rejects.toThrow(`overrides its backend (${named}).`);
  });
});

describe("what the files of a stack say was chosen", () => {
  test.each([
    ["in the engine's own folder", {}, ".terraform"],
    ["where a context says", { TF_DATA_DIR: "committed/data" }, "committed/data"],
    ["beside the configuration", { TF_DATA_DIR: "." }, "."],
  ])("is forgotten %s", async (_, env, folder) => {
    const file = record({ type: "http" }, path.join(cwd, folder));
    await forgetBackend({ place, cwd, env });
    expect(existsSync(file)).toBe(false);
  });

  test("is forgotten in a linked folder of the same files, and nothing is touched outside", async () => {
    const inside = record({ type: "http" }, path.join(place, "files", "shared"));
    symlinkSync("../shared", path.join(cwd, ".terraform"));
    await forgetBackend({ place, cwd, env: {} });
    expect(existsSync(inside)).toBe(false);
    const outside = record({ type: "s3" }, path.join(world, "neighbour"));
    rmSync(path.join(cwd, ".terraform"));
    symlinkSync(path.dirname(outside), path.join(cwd, ".terraform"));
    await expect(forgetBackend({ place, cwd, env: {} })).rejects.toThrow("leads out of its files");
    expect(existsSync(outside)).toBe(true);
  });

  test("is forgotten as a link of its own, whose target stays", async () => {
    const target = path.join(cwd, "kept.json");
    writeFileSync(target, "{}");
    mkdirSync(path.join(cwd, ".terraform"));
    symlinkSync(target, path.join(cwd, ".terraform", "terraform.tfstate"));
    await forgetBackend({ place, cwd, env: {} });
    expect(existsSync(path.join(cwd, ".terraform", "terraform.tfstate"))).toBe(false);
    expect(existsSync(target)).toBe(true);
  });

  test("is nothing where there is no folder", async () => {
    await forgetBackend({ place, cwd, env: {} });
    writeFileSync(path.join(cwd, ".terraform"), "a file");
    await forgetBackend({ place, cwd, env: {} });
  });
});

describe("a state that is lost", () => {
  async function warnings(env: Record<string, string> = {}): Promise<string[]> {
    const noted: string[] = [];
    const log = { note: (line: string) => void noted.push(line) };
    const found = await checkBackend({ place, cwd, env, hosted: false }, log as never);
    expect(noted).toEqual(found.map((warning) => `Warning: ${warning}`));
    return found;
  }
  const LOST = "the state of this stack is lost when the run ends.";
  const LOCAL = `The backend local keeps the state in the folder of the run: ${LOST}`;

  test("without a backend", async () => {
    expect(await warnings()).toEqual([`No backend or cloud block is configured: ${LOST}`]);
  });

  test("in memory", async () => {
    record({ type: "inmem", config: {} });
    expect(await warnings()).toEqual([`The backend inmem keeps the state nowhere: ${LOST}`]);
  });

  test.each<[string, object, Record<string, string>]>([
    ["by the usual name", { path: null, workspace_dir: null }, {}],
    ["at a relative path", { path: "states/a.tfstate", workspace_dir: "/elsewhere" }, {}],
    ["elsewhere in the files", { path: "../../a.tfstate" }, {}],
    ["in a workspace", { path: "/elsewhere/a.tfstate", workspace_dir: null }, { TF_WORKSPACE: "green" }],
  ])("in the run's folder, %s", async (_, config, env) => {
    record({ type: "local", config });
    expect(await warnings(env)).toEqual([LOCAL]);
  });

  test("in the run's folder in the workspace that was selected, and at its whole path", async () => {
    writeFileSync(path.join(path.dirname(record({ type: "local", config: { path: "/a" } })), "environment"), "green");
    expect(await warnings()).toEqual([LOCAL]);
    record({ type: "local", config: { path: path.join(cwd, "a.tfstate"), workspace_dir: "/elsewhere" } });
    expect(await warnings()).toEqual([]);
    expect(await warnings({ TF_WORKSPACE: "default" })).toEqual([LOCAL]);
  });

  test("not at a path that lasts, not by a link to one, and not in another backend", async () => {
    record({ type: "local", config: { path: "/states/a.tfstate" } });
    expect(await warnings()).toEqual([]);
    symlinkSync(world, path.join(cwd, "states"));
    record({ type: "local", config: { path: "states/new/a.tfstate" } });
    expect(await warnings()).toEqual([]);
    record({ type: "s3", config: { bucket: "b" } });
    expect(await warnings()).toEqual([]);
  });
});
