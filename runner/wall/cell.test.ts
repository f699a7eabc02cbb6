import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { abandonedCells, CELL, newCell, recordRun, runDirectoryName, trueDirectory } from "./cell.ts";

const scratch = mkdtempSync(path.join(tmpdir(), "cells-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const assignment = { run_id: crypto.randomUUID(), runner_id: crypto.randomUUID() };

test("a cell is abandoned once its process is gone, and not for another one with its id", async () => {
  const { id, folder } = newCell(scratch);
  const directory = path.join(scratch, runDirectoryName(assignment));
  const alive = spawn("sleep", ["60"], { env: { PATH: process.env.PATH, [CELL]: id } });
  await once(alive, "spawn");
  const other = spawn("sleep", ["60"], { env: { PATH: process.env.PATH } });
  await once(other, "spawn");
  await recordRun(folder, { pid: alive.pid as number, assignment, directory });
  expect(await abandonedCells(scratch)).toEqual([]);
  await recordRun(folder, { pid: other.pid as number, assignment, directory });
  expect(await abandonedCells(scratch)).toMatchObject([{ id, folder, run: { assignment, directory } }]);
  for (const child of [alive, other]) child.kill("SIGKILL");
});

test("what a run put in place of its directory is not followed", () => {
  const [real, link, file] = ["real", "link", "file"].map((name) => path.join(scratch, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(real);
  symlinkSync(real, link);
  writeFileSync(file, "");
  expect(trueDirectory(real)).toBe(real);
  expect([link, file, path.join(scratch, "none")].map(trueDirectory)).toEqual([null, null, null]);
});
