import { expect, test } from "vitest";
import { type StageHead, stageLog } from "./logHeads.ts";

const GRACE_MS = 900_000;

/** A run with two leading sealed chunks of 10 bytes and a live one of 5. */
function head(change: Partial<StageHead> = {}): StageHead {
  return {
    deploymentId: "d",
    deploymentStatus: "planning",
    deploymentOver: false,
    stageId: "s",
    position: 0,
    kind: "plan_run",
    phase: "running",
    stageOver: false,
    runId: "r",
    overMs: null,
    chunks: 2,
    bytes: 20,
    allChunks: 3,
    allBytes: 25,
    tailSize: 5,
    tail: null,
    ...change,
  };
}

const over = (ms: number) => ({ phase: "failed", stageOver: true, overMs: ms }) as const;
const gap = { chunks: 2, bytes: 20, allChunks: 4, allBytes: 40, tailSize: null };

test("while the run goes on, the leading sealed chunks and the live one after them are visible", () => {
  expect(stageLog(head(), undefined, false, GRACE_MS)).toMatchObject({ size: 25, final: false, ended: false });
  expect(stageLog(head(gap), undefined, false, GRACE_MS)).toMatchObject({ size: 20, final: false });
});

test("what a look adds is counted on top of what was known", () => {
  const known = { sealedChunks: 7, sealedBytes: 70, gaps: false };
  expect(stageLog(head(), known, false, GRACE_MS)).toMatchObject({ sealedChunks: 9, sealedBytes: 90, size: 95 });
});

test("a log that has ended says that a part of it never came", () => {
  const gaps = (over: object) => stageLog(head({ ...gap, ...over }), undefined, false, GRACE_MS).gaps;
  expect([gaps({}), gaps(over(0)), gaps(over(GRACE_MS)), gaps(over(GRACE_MS + 60_000))]).toEqual([
    false,
    false,
    true,
    true,
  ]);
  const whole = { ...gap, chunks: 4, bytes: 40, ...over(GRACE_MS + 60_000) };
  expect(stageLog(head(whole), undefined, false, GRACE_MS).gaps).toBe(false);
  // A live chunk that was never sealed is the end of what came.
  expect(stageLog(head({ ...whole, chunks: 3, tailSize: 10 }), undefined, false, GRACE_MS).gaps).toBe(false);
});

test("after the run, what lies behind a gap appears only when nothing can fill it any more", () => {
  expect(stageLog(head({ ...gap, ...over(GRACE_MS) }), undefined, false, GRACE_MS).size).toBe(20);
  expect(stageLog(head({ ...gap, ...over(GRACE_MS + 60_000) }), undefined, false, GRACE_MS)).toMatchObject({
    size: 40,
    final: true,
  });
  expect(stageLog(head({ ...gap, ...over(0) }), undefined, true, GRACE_MS)).toMatchObject({ size: 40, final: true });
});

test("a stage has ended at once when all of its log is sealed, else some seconds after its run", () => {
  const sealed = { allChunks: 2, allBytes: 20, tailSize: null };
  expect(stageLog(head({ ...sealed, ...over(0) }), undefined, false, GRACE_MS)).toMatchObject({ ended: true });
  expect(stageLog(head(over(9_000)), undefined, false, GRACE_MS)).toMatchObject({ ended: false, size: 25 });
  expect(stageLog(head(over(10_000)), undefined, false, GRACE_MS)).toMatchObject({ ended: true, size: 25 });
});

test("a stage without a run has an empty log, and ends with its phase", () => {
  const empty = { runId: null, chunks: 0, bytes: 0, allChunks: 0, allBytes: 0, tailSize: null };
  expect(stageLog(head(empty), undefined, false, GRACE_MS)).toMatchObject({ size: 0, ended: false });
  expect(stageLog(head({ ...empty, stageOver: true, phase: "done" }), undefined, false, GRACE_MS)).toMatchObject({
    size: 0,
    ended: true,
  });
});
