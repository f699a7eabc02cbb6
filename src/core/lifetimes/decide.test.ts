import { describe, expect, it } from "vitest";
import { decideLifetime, type LifetimeFacts } from "./decide.ts";
import { isLeftover } from "./leftover.ts";

const END = 1_000_000;
const facts = (given: Partial<LifetimeFacts>): LifetimeFacts => ({
  phase: "alive",
  now: END,
  expiresAt: END,
  remindMs: 100,
  reminded: true,
  held: false,
  leftover: true,
  destroy: null,
  ...given,
});
const destroy = (status: string, error: string | null = null) => ({
  phase: "destroying" as const,
  destroy: { status, error },
});

describe("a lifetime", () => {
  it.each([
    ["waits until it reminds", { now: END - 101, reminded: false }, { kind: "wait", until: END - 100 }],
    ["reminds in time", { now: END - 100, reminded: false }, { kind: "remind" }],
    ["waits for its end then", { now: END - 1 }, { kind: "wait", until: END }],
    ["reminds nobody of what has passed", { reminded: false }, { kind: "destroy" }],
    ["destroys what is there", {}, { kind: "destroy" }],
    ["deletes where nothing is", { leftover: false }, { kind: "delete" }],
    ["waits while the stack is on hold", { held: true, leftover: false }, { kind: "putOff", why: "held" }],
    ["waits for its destroy", destroy("waiting"), { kind: "wait", until: null }],
    ["deletes after its destroy", { ...destroy("finished"), leftover: false }, { kind: "delete" }],
    ["tells of a destroy that failed", destroy("failed", "e"), { kind: "fail", error: "e" }],
    ["tells of one that was skipped", destroy("skipped"), { kind: "fail", error: "The destroy was skipped." }],
    [
      "tells of an apply after it",
      destroy("finished"),
      { kind: "fail", error: "Something was applied after the destroy." },
    ],
    ["tells once", { ...destroy("failed", "e"), phase: "failed" }, { kind: "wait", until: null }],
    ["ends what somebody destroyed", { ...destroy("failed"), phase: "failed", leftover: false }, { kind: "delete" }],
  ] as [string, Partial<LifetimeFacts>, object][])("%s", (_, given, step) =>
    expect(decideLifetime(facts(given))).toEqual(step),
  );
});

it.each([
  [null, false],
  [{ mode: "destroy", status: "finished", partial: false }, false],
  [{ mode: "destroy", status: "finished", partial: true }, true],
  [{ mode: "destroy", status: "failed", partial: false }, true],
  [{ mode: "plan", status: "finished", partial: false }, true],
  [{ mode: "raw", status: "failed", partial: false }, true],
] as const)("after %j something may be left: %s", (last, left) => expect(isLeftover(last)).toBe(left));
