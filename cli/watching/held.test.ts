import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Held, HeldNote, takeLeftBehind } from "./held.ts";

const held: Held = { host: "https://a.example", orgId: "org", stackId: "network", id: "1" };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "held-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function files(): string[] {
  return readdirSync(join(folder, "held"));
}

/** As a process that is gone has left it. */
function left(changes: object = {}, name = "left.json"): void {
  new HeldNote(folder).write(held);
  const [written] = files().filter((each) => each.startsWith(`${process.pid}-`));
  const file = join(folder, "held", written!);
  const noted = { ...JSON.parse(readFileSync(file, "utf8")), pid: 4_194_305, ...changes };
  rmSync(file);
  writeFileSync(join(folder, "held", name), JSON.stringify(noted));
}

test("a note is there while the command runs, for its person alone, and told by nobody meanwhile", () => {
  const note = new HeldNote(folder);
  note.write({ ...held, id: null });
  note.write(held);
  expect(files()).toHaveLength(1);
  expect(statSync(join(folder, "held", files()[0]!)).mode & 0o777).toBe(0o600);
  expect(takeLeftBehind(folder, held)).toEqual([]);
  note.remove();
  expect(files()).toEqual([]);
  note.remove();
});

test("what a killed command held is told once", () => {
  left();
  expect(takeLeftBehind(folder, held)).toMatchObject([held]);
  expect(takeLeftBehind(folder, held)).toEqual([]);
});

test("another service, organization or machine is not told here; what is old or unreadable goes", () => {
  left({ host: "https://b.example" }, "host.json");
  left({ orgId: "other" }, "org.json");
  left({ machine: `not-${hostname()}` }, "machine.json");
  left({ at: "2020-01-01T00:00:00Z" }, "old.json");
  writeFileSync(join(folder, "held", "half.json"), '{"ho');
  expect(takeLeftBehind(folder, held)).toEqual([]);
  expect(files().sort()).toEqual(["host.json", "machine.json", "org.json"]);
});

test("where there is no folder, and none can be made, nothing happens", () => {
  expect(takeLeftBehind(join(folder, "none"), held)).toEqual([]);
  writeFileSync(join(folder, "file"), "");
  new HeldNote(join(folder, "file")).write(held);
});
