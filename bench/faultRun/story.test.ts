import { expect, it } from "vitest";
import { commitOf, isReplanned, MODES, modeOf, STORIES, storyOf, storyOfCommit } from "./story.ts";

it("tells each story in its share", () => {
  const told = Map.groupBy(
    Array.from({ length: 300 }, (_, i) => i),
    storyOf,
  );
  expect(STORIES.map((story) => told.get(story)?.length)).toEqual([180, 30, 15, 15, 30, 30]);
});

it("is known from the commit alone, and no two deployments share one", () => {
  const commits = Array.from({ length: 300 }, (_, i) => commitOf(i));
  expect(new Set(commits).size).toBe(300);
  expect(commits.every((commit) => /^[0-9a-f]{40}$/.test(commit))).toBe(true);
  expect(commits.map(storyOfCommit)).toEqual(commits.map((_, i) => storyOf(i)));
});

it("has every mode, mostly plans, and plans some anew", () => {
  const indexes = Array.from({ length: 1_300 }, (_, i) => i);
  const modes = Map.groupBy(indexes, modeOf);
  expect(MODES.map((mode) => modes.get(mode)?.length)).toEqual([1_000, 100, 100, 100]);
  expect(indexes.filter(isReplanned).length).toBeGreaterThan(100);
});
