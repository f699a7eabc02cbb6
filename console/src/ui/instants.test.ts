import { expect, test } from "vitest";
import { relative, span } from "./instants.ts";

test("spans name their two largest units", () => {
  expect([300, 2_000, 41_000, 64_000, 3_600_000, 3_840_000, 172_800_000, 180_000_000].map((ms) => span(ms))).toEqual([
    "0.3 s",
    "2 s",
    "41 s",
    "1 min 4 s",
    "1 h",
    "1 h 4 min",
    "2 d",
    "2 d 2 h",
  ]);
});

test("instants are told from now, in both directions", () => {
  const now = Date.UTC(2026, 0, 1);
  expect([0, 9_000, 45_000, 61_000, 7_300_000, -7_200_000].map((ago) => relative(now - ago, now))).toEqual([
    "now",
    "now",
    "45 s ago",
    "1 min ago",
    "2 h ago",
    "in 2 h",
  ]);
});
