import { expect, test } from "vitest";
import { type Row, rowsOf } from "./folding.ts";
import type { Section } from "./lineIndex.ts";

const step = (stageId: string, title: string, line: number): Section => ({ kind: "step", stageId, title, line });
const stage = (stageId: string, line: number): Section => ({ kind: "stage", stageId, title: "", line });
const SECTIONS = [
  stage("p", 0),
  step("p", "Cloning", 0),
  step("p", "tofu init", 2),
  step("p", "tofu plan", 5),
  stage("a", 8),
  step("a", "tofu init", 9),
  step("a", "tofu apply", 11),
];
const shown = (row: Row | null) =>
  row === null ? null : row.type === "head" ? `${row.block.kind} ${row.block.title || row.block.stageId}` : row.line;
const all = (chosen: [string, boolean][] = [], errors: number[] = []) => {
  const rows = rowsOf(SECTIONS, 14, errors, new Map(chosen));
  return Array.from({ length: rows.length }, (_, at) => shown(rows.at(at)));
};

test("what people read is open, what only gets ready is folded, unless there is an error in it", () => {
  expect(all()).toEqual([
    "stage p",
    "step Cloning",
    "step tofu init",
    "step tofu plan",
    6,
    7,
    "stage a",
    8,
    "step tofu init",
    "step tofu apply",
    12,
    13,
  ]);
  expect(all([], [4]).slice(2, 6)).toEqual(["step tofu init", 3, 4, "step tofu plan"]);
});

test("a person's choice wins, and a folded stage takes its steps with it", () => {
  expect(all([["p", false]]).slice(0, 3)).toEqual(["stage p", "stage a", 8]);
  expect(all([["a", false]]).at(-1)).toBe("stage a");
  expect(all([["p:0", true]]).slice(0, 4)).toEqual(["stage p", "step Cloning", 1, "step tofu init"]);
});

test("a line is found in its row, or where it is folded away", () => {
  const rows = (chosen: [string, boolean][] = []) => rowsOf(SECTIONS, 14, [], new Map(chosen));
  for (const line of [6, 8, 12]) expect(shown(rows().at(rows().ofLine(line)))).toBe(line);
  expect(shown(rows().at(rows().ofLine(4)))).toBe("step tofu init");
  expect(shown(rows([["p", false]]).at(rows([["p", false]]).ofLine(6)))).toBe("stage p");
  expect(shown(rows([["a", false]]).at(rows([["a", false]]).ofLine(12)))).toBe("stage a");
  expect(rows().at(99)).toBeNull();
  expect(rowsOf([], 0, [], new Map()).at(0)).toBeNull();
});
