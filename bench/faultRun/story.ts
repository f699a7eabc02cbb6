/**
 * What happens to each deployment of a fault run when nothing fails. The commit names the story, so that whoever
 * executes a run knows it without asking, and a create that was carried out twice shows as two deployments of one
 * commit.
 */
import { createHash } from "node:crypto";

export const STORIES = ["applied", "no_changes", "plan_fails", "apply_fails", "skipped", "cancelled"] as const;
export type Story = (typeof STORIES)[number];

/** Out of 20: most deployments are applied. */
const SHARES: Record<Story, number> = {
  applied: 12,
  no_changes: 2,
  plan_fails: 1,
  apply_fails: 1,
  skipped: 2,
  cancelled: 2,
};
const DECK = STORIES.flatMap((story) => Array.from({ length: SHARES[story] }, () => story));

export function storyOf(index: number): Story {
  // Seven and the deck's size have no common divisor, so the stories are mixed and each comes in its share.
  return DECK[(index * 7) % DECK.length] as Story;
}

/** A commit that is this deployment's alone. */
export function commitOf(index: number): string {
  const rest = createHash("sha1").update(`deployment ${index}`).digest("hex").slice(8);
  return index.toString(16).padStart(8, "0") + rest;
}

export function storyOfCommit(commit: string): Story {
  return storyOf(indexOfCommit(commit));
}

export const MODES = ["plan", "destroy", "refresh", "plan_unlocked"] as const;
export type StoryMode = (typeof MODES)[number];

/** Most are plans. What is planned beside the lane is confirmed by nobody. */
export function modeOf(index: number): StoryMode {
  return MODES[Math.max((index % 13) - 9, 0)] as StoryMode;
}

/** Of those that are applied in the end, some are planned anew first. */
export function isReplanned(index: number): boolean {
  return storyOf(index) === "applied" && index % 4 === 0;
}

export function indexOfCommit(commit: string): number {
  return Number.parseInt(commit.slice(0, 8), 16);
}
