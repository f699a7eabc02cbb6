import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { placeNames, placesOf, releasePlaces, takePlace } from "./place.ts";

const scratch = realpathSync(mkdtempSync(path.join(tmpdir(), "places-")));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const noWait = { ms: 0, begins: () => {}, check: () => {} };

function runDirectory(workDir: string): string {
  const directory = path.join(workDir, `run-${crypto.randomUUID()}-${crypto.randomUUID()}`);
  mkdirSync(directory, { recursive: true });
  return directory;
}

function workDir(): string {
  return mkdtempSync(path.join(scratch, "work-"));
}

function names(org: string, stack: string, mode = "plan", pullRequest?: number): string[] {
  const git = { type: "git", repository_url: "", branch: "", commit_sha: "" } as const;
  return placeNames({
    run: { org_id: org },
    stack: { id: stack },
    deployment: { id: crypto.randomUUID(), mode, origin_type: "manual", commit_sha: "" },
    source: pullRequest === undefined ? git : { ...git, pull_request: pullRequest },
  });
}

test("a lane has one name, whatever the run, and no other subject shares it", () => {
  expect(names("a", "s")).toEqual(names("a", "s", "destroy"));
  const subjects = [
    names("a", "s"),
    names("b", "s"),
    names("a", "t"),
    names("a", "s", "plan_unlocked"),
    names("a", "s", "plan_unlocked", 1),
    names("a", "s", "plan_unlocked", 2),
  ];
  expect(new Set(subjects.flat()).size).toBe(subjects.flat().length);
  expect(subjects.map((each) => each.length)).toEqual([1, 1, 1, 100, 100, 100]);
});

test("a stack that is renamed keeps its place", () => {
  const subject = (id: string) => ({
    ...{ run: { org_id: "a" }, stack: { id, key: "k" } },
    deployment: { id: "d", mode: "plan", origin_type: "manual", commit_sha: "" },
    source: { type: "git", repository_url: "", branch: "", commit_sha: "" } as const,
  });
  expect(placeNames(subject("before"))).toEqual(placeNames(subject("after")));
});

test("a place is had by one run at a time, at one path", async () => {
  const work = workDir();
  const [first, second] = [runDirectory(work), runDirectory(work)];
  const place = await takePlace(first, ["tree-x"], noWait);
  writeFileSync(path.join(place, "made"), "");
  expect(await placesOf(first)).toEqual([place]);
  await expect(takePlace(second, ["tree-x"], noWait)).rejects.toThrow(
    /^Run \S+ is still at work .* \(tree_in_use\)\.$/,
  );
  await releasePlaces(first);
  rmSync(path.join(second, "place"), { recursive: true });
  expect(await takePlace(second, ["tree-x"], noWait)).toBe(place);
  expect(readdirSync(place)).toEqual(["owner"]);
});

test("one that is taken is waited for, and the wait is told once and may be ended", async () => {
  const work = workDir();
  const [first, second, third] = [runDirectory(work), runDirectory(work), runDirectory(work)];
  const place = await takePlace(first, ["tree-x"], noWait);
  const told: string[] = [];
  const waits = { ms: 30_000, begins: (owner: string) => void told.push(owner) };
  let looks = 0;
  const check = () => {
    looks += 1;
    if (looks === 2) void releasePlaces(first);
  };
  expect(await takePlace(second, ["tree-x"], { ...waits, check })).toBe(place);
  expect(told).toEqual([path.basename(first)]);
  const stopped = () => {
    throw new Error("stopped");
  };
  await expect(takePlace(third, ["tree-x"], { ...waits, check: stopped })).rejects.toThrow("stopped");
});

test("a preview takes the next name instead of waiting", async () => {
  const work = workDir();
  const previews = names("a", "s", "plan_unlocked", 7);
  await takePlace(runDirectory(work), previews, noWait);
  const second = await takePlace(runDirectory(work), previews, noWait);
  expect(path.basename(second)).toBe(previews[1]);
});

test("what a run left whose directory is gone is put aside", async () => {
  const work = workDir();
  const gone = runDirectory(work);
  const place = await takePlace(gone, ["tree-x"], noWait);
  rmSync(gone, { recursive: true });
  expect(await takePlace(runDirectory(work), ["tree-x"], { ...noWait, ms: 5_000 })).toBe(place);
});
