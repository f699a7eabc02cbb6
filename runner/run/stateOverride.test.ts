import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hasOverride, refuseOwnNames, STATE_OVERRIDES, writeOverride } from "./stateOverride.ts";

const [OWN = "", EARLIER = ""] = STATE_OVERRIDES;

let cwd = "";
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "override-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** A name of these bytes, which need be no text. */
const put = (name: string | Buffer) => writeFileSync(Buffer.concat([Buffer.from(`${cwd}/`), Buffer.from(name)]), "");

const ENDINGS = [".tf", ".tf.json", ".tofu", ".tofu.json"];
const earlier = ["override", "a_override", "zzz_override", "Z_override", "#_override", "{_override", "~a_override"];
const later = ["~t_override", "~~_override", "~svc_hosted_statf_override", "é_override", "\u{10ffff}_override"];
const of = (stems: string[]) => stems.flatMap((stem) => ENDINGS.map((ending) => stem + ending));

test.each(of(earlier))("%s comes before the runner's own file, which counts", async (name) => {
  put(name);
  await writeOverride(cwd);
  const names = readdirSync(cwd, "latin1").sort();
  expect(names.at(-1)).toBe(OWN);
});

test.each([
  ...of(later),
  // Left out by OpenTofu, or merged after it.
  ...ENDINGS.slice(1).map((ending) => OWN.replace(/\.tf$/, ending)),
  Buffer.concat([Buffer.from([0xff]), Buffer.from("_override.tf")]),
])("%s would come after it or take its place, and is refused before anything is written", async (name) => {
  put(name);
  await expect(writeOverride(cwd)).rejects.toThrow("would come after the runner's own: name it otherwise.");
  expect(existsSync(path.join(cwd, OWN))).toBe(false);
});

test.each(["~zz.tf", "é.tf", ".zz_override.tf", "~zz_override.tfvars", "~zz_override.tf.bak", "zz.tf.json"])(
  "%s is no override file",
  async (name) => {
    put(name);
    await writeOverride(cwd);
    expect(await hasOverride(cwd)).toBe(true);
  },
);

test.each(STATE_OVERRIDES)("a stack has no file %s of its own", (name) => {
  expect(() => refuseOwnNames(cwd)).not.toThrow();
  put(name);
  expect(() => refuseOwnNames(cwd)).toThrow(`a file of the runner's name, ${name}.`);
});

describe("the files of a plan", () => {
  test("of a runner that named it otherwise get the name that comes last", async () => {
    put(EARLIER);
    put("zzz_override.tf");
    expect(await hasOverride(cwd)).toBe(true);
    expect(readdirSync(cwd).sort()).toEqual(["zzz_override.tf", OWN]);
  });

  test("with a later one are not applied", async () => {
    put(EARLIER);
    put("~~_override.tf");
    await expect(hasOverride(cwd)).rejects.toThrow('the override file "~~_override.tf" would come after');
  });

  test("without it were planned on another state", async () => {
    put("override.tf");
    expect(await hasOverride(cwd)).toBe(false);
  });
});
