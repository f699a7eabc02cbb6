import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { EngineVersions } from "./engineVersions.ts";
import { knownVersion } from "./knownEngine.ts";

const scratch = mkdtempSync(path.join(tmpdir(), "engines-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const program = path.join(scratch, "terraform");
const calls = path.join(scratch, "calls");
const MADE_OF = { terraform: "github.com/hashicorp/terraform", manager: "github.com/tofuutils/tenv/v4/cmd/terraform" };

/** A program that says what it was built from, as the linker of Go writes it, and counts how often it was called. */
function write(from: string, banner: string): void {
  const script = `#!/bin/sh\n# path\t${from}\necho x >> ${calls}\necho '${banner}'\n`;
  writeFileSync(program, script, { mode: 0o755 });
}

function asked(): number {
  return readFileSync(calls, "utf8").split("\n").length - 1;
}

beforeEach(() => writeFileSync(calls, ""));

test("an engine is asked once, and again when its file is another", async () => {
  write(MADE_OF.terraform, "Terraform v1.11.4");
  const versions = new EngineVersions({ terraformPath: program, tofuPath: undefined });
  await versions.refresh();
  await versions.refresh();
  const known = versions.known();
  expect(await knownVersion(program, known)).toBe("1.11.4");
  expect(asked()).toBe(1);
  write(MADE_OF.terraform, "Terraform v1.12.0");
  expect(await knownVersion(program, known)).toBeNull();
  await versions.refresh();
  expect(await knownVersion(program, versions.known())).toBe("1.12.0");
  expect(asked()).toBe(2);
});

test.each([
  ["a manager of versions, which may have another one in another directory", MADE_OF.manager, "Terraform v1.11.4"],
  ["a program that is not the engine it is taken for", MADE_OF.terraform, "OpenTofu v1.9.0"],
])("nothing is known of %s", async (_what, from, banner) => {
  write(from, banner);
  const versions = new EngineVersions({ terraformPath: program, tofuPath: undefined });
  await versions.refresh();
  expect(versions.known().filter((engine) => engine.program === program)).toEqual([]);
});

test("nothing is known of an engine that is missing, or fails", async () => {
  write(MADE_OF.terraform, "Terraform v1.11.4");
  appendFileSync(program, "exit 1\n");
  const versions = new EngineVersions({ terraformPath: program, tofuPath: path.join(scratch, "tofu") });
  await versions.refresh();
  expect(versions.known()).toEqual([]);
});

test("where a program says what it was built from may be cut by the end of a read", async () => {
  const filler = `#!/bin/sh\necho 'Terraform v1.11.4'\nexit\n${"#".repeat(1_048_576 - 60)}`;
  writeFileSync(program, `${filler}\n# path\t${MADE_OF.terraform}\n`, { mode: 0o755 });
  const versions = new EngineVersions({ terraformPath: program, tofuPath: undefined });
  await versions.refresh();
  expect(await knownVersion(program, versions.known())).toBe("1.11.4");
});
