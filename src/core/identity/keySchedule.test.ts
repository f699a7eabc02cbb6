import fc from "fast-check";
import { expect, test } from "vitest";
import { nextKeyFrom, OVERLAP_MS, outlived, signerOf } from "./keySchedule.ts";

const DAY = OVERLAP_MS;
const key = (id: string, signsFromMs: number) => ({ id, signsFromMs });

test("the first key signs at once, and the next is made a day before it signs", () => {
  expect(nextKeyFrom([], 5 * DAY, 30 * DAY)).toBe(5 * DAY);
  const first = [key("a", 0)];
  expect(nextKeyFrom(first, 29 * DAY - 1, 30 * DAY)).toBeNull();
  expect(nextKeyFrom(first, 29 * DAY, 30 * DAY)).toBe(30 * DAY);
});

test("after a pause the next key is still published for a day before it signs", () => {
  expect(nextKeyFrom([key("a", 0)], 90 * DAY, 30 * DAY)).toBe(91 * DAY);
});

test("a key signs until its successor does, and is published for a day more", () => {
  const keys = [key("a", 0), key("b", 30 * DAY)];
  expect(signerOf(keys, 30 * DAY - 1)?.id).toBe("a");
  expect(signerOf(keys, 30 * DAY)?.id).toBe("b");
  expect(outlived(keys, 31 * DAY - 1)).toEqual([]);
  expect(outlived(keys, 31 * DAY).map(({ id }) => id)).toEqual(["a"]);
  expect(signerOf([], 0)).toBeNull();
});

test("whenever it is looked at, there is a signer that was published for a day, or is the first", () => {
  const pauses = fc.array(fc.integer({ min: 1, max: 20 * DAY }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(pauses, fc.integer({ min: 2 * DAY, max: 90 * DAY }), (steps, every) => {
      let now = 0;
      let keys: { id: string; signsFromMs: number; madeMs: number }[] = [];
      for (const [n, step] of steps.entries()) {
        now += step;
        const before = signerOf(keys, now);
        const from = nextKeyFrom(keys, now, every);
        if (from !== null) keys.push({ id: String(n).padStart(3, "0"), signsFromMs: from, madeMs: now });
        const gone = new Set(outlived(keys, now));
        keys = keys.filter((each) => !gone.has(each));
        const signer = signerOf(keys, now);
        if (signer === null) return false;
        // Making and removing keys never takes the signer away, and what signs was there to be read before.
        if (before !== null && signer.id !== before.id) return false;
        if (signer.signsFromMs - signer.madeMs !== 0 && signer.signsFromMs - signer.madeMs < DAY) return false;
        if (keys.length > 3) return false;
      }
      return true;
    }),
  );
});
