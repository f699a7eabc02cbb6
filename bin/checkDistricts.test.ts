import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { roomsOfMap, wrongImports, wrongMap } from "./checkDistricts.ts";

let root: string;
afterEach(() => rm(root, { recursive: true, force: true }));

async function tree(files: Record<string, string>): Promise<string> {
  root = await mkdtemp(join(tmpdir(), "districts-"));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  }
  return root;
}

const imports = async (files: Record<string, string>) => wrongImports(await tree(files));

describe("the direction of imports", () => {
  it("lets a file import what is below it", async () => {
    const files = {
      "src/core/runs/a.ts": 'import { b } from "../../platform/time/b.ts";\nexport const a = b;\n',
      "src/platform/time/b.ts": "export const b = 1;\n",
    };
    expect(await imports(files)).toEqual([]);
  });

  it.each([
    ["a value", 'import { a } from "../../core/runs/a.ts";\nexport const b = a;\n'],
    ["a type", 'import type { A } from "../../core/runs/a.ts";\nexport type B = A;\n'],
    ["a type among values", 'import { type A } from "../../core/runs/a.ts";\nexport type B = A;\n'],
  ])("refuses %s from above", async (_what, text) => {
    const files = { "src/core/runs/a.ts": "export const a = 1;\nexport type A = 1;\n", "src/platform/time/b.ts": text };
    expect(await imports(files)).toEqual([
      "platform imports nothing above it: src/platform/time/b.ts -> src/core/runs/a.ts",
    ]);
  });

  it("refuses two rooms that import each other, each by a file of its own", async () => {
    const files = {
      "src/core/runs/a.ts": 'import { b } from "../logs/b.ts";\nexport const a = b;\n',
      "src/core/runs/c.ts": "export const c = 1;\n",
      "src/core/logs/b.ts": "export const b = 1;\n",
      "src/core/logs/d.ts": 'import { c } from "../runs/c.ts";\nexport const d = c;\n',
    };
    expect((await imports(files)).join()).toContain("rooms of a district import each other in one direction");
  });

  it("refuses a circle of rooms through a folder inside one of them", async () => {
    const files = {
      "src/core/runs/a.ts": 'import { b } from "../logs/inner/b.ts";\nexport const a = b;\n',
      "src/core/runs/c.ts": "export const c = 1;\n",
      "src/core/logs/inner/b.ts": "export const b = 1;\n",
      "src/core/logs/d.ts": 'import { c } from "../runs/c.ts";\nexport const d = c;\n',
    };
    expect((await imports(files)).join()).toContain("rooms of a district import each other in one direction");
  });

  it("refuses a circle of files by types alone", async () => {
    const files = {
      "src/core/runs/a.ts": 'import type { B } from "./b.ts";\nexport type A = B;\n',
      "src/core/runs/b.ts": 'import type { A } from "./a.ts";\nexport type B = A | 1;\n',
    };
    expect((await imports(files)).join()).toContain("no circle of files");
  });

  it("refuses what would hide an import from these rules", async () => {
    const files = {
      "src/core/runs/a.ts": "export type A = 1;\n",
      "src/platform/time/b.ts": 'export type { A } from "../../core/runs/a.ts";\n',
    };
    expect(await imports(files)).toEqual([
      "a name is imported from where it is declared: src/platform/time/b.ts exports what another file declares",
    ]);
  });
});

describe("the map", () => {
  const map = "```text\nsrc/\n  main/    programs\n    app/   the API\nactivities/\nworkflows/\nrunner/\n```";

  it("is read with its rooms in their districts", () => {
    expect(roomsOfMap(map)).toEqual(["src", "src/main", "src/main/app", "activities", "workflows", "runner"]);
  });

  it("is refused when a room is missing or one too many", async () => {
    const files = ["src/main/dev/a.ts", "activities/a.ts", "workflows/a.ts", "runner/a.ts"];
    const wrong = wrongMap(map, await tree(Object.fromEntries(files.map((file) => [file, ""]))));
    expect(wrong).toContain("the map shows src/main/app, which is not there");
    expect(wrong).toContain("the map does not show src/main/dev");
  });
});
