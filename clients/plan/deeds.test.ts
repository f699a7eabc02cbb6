import { expect, test } from "vitest";
import type { ChangeAction, PlanChange } from "./change.ts";
import { countedDeeds, deedOf, rankOf } from "./deeds.ts";

const ACTIONS: readonly ChangeAction[] = [
  "add",
  "change",
  "destroy",
  "replace",
  "import",
  "forget",
  "move",
  "read",
  "invoke",
  "other",
];
const change = (action: ChangeAction, kind: PlanChange["kind"] = "resource") => ({ kind, action, actions: [action] });

test("each action has a sign and a word of its own", () => {
  const deeds = ACTIONS.map((action) => deedOf(change(action)));
  expect(new Set(deeds.map(({ sign }) => sign)).size).toBe(ACTIONS.length);
  expect(new Set(deeds.map(({ word }) => word)).size).toBe(ACTIONS.length);
});

test("what is made before it is taken away has another sign, and drift has happened already", () => {
  const first = (action: string) => ({ kind: "resource", action: "replace", actions: [action] }) as const;
  expect([deedOf(first("delete")).sign, deedOf(first("create")).sign]).toEqual(["-/+", "+/-"]);
  expect(deedOf(change("destroy", "drift"))).toEqual({ sign: "≈", word: "drift: is gone", tone: "drift" });
  expect(deedOf(change("destroy", "output"))).toEqual({ sign: "-", word: "destroy output", tone: "quiet" });
});

test("what destroys comes first, outputs last, and an action of a newer service is not taken for harmless", () => {
  const sorted = ACTIONS.toSorted((a, b) => rankOf(change(a)) - rankOf(change(b)));
  expect(sorted.slice(0, 4)).toEqual(["destroy", "replace", "forget", "other"]);
  expect(rankOf(change("destroy", "output"))).toBeGreaterThan(rankOf(change("read", "drift")));
  const newer = change("teleport" as ChangeAction);
  expect([deedOf(newer).word, rankOf(newer)]).toEqual(["unknown action", rankOf(change("other"))]);
});

test("counts are told in the same order, without those there are none of", () => {
  const counts = { add: 3, change: 0, destroy: 1, replace: 2, import: 0, forget: 0, move: 1 };
  expect(countedDeeds(counts).map(({ sign, name, count }) => [sign, name, count])).toEqual([
    ["-", "destroy", 1],
    ["-/+", "replace", 2],
    ["→", "move", 1],
    ["+", "add", 3],
  ]);
});
