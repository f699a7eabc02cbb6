import { expect, it } from "vitest";
import { pacer } from "./pace.ts";

/** A clock on which only what sleeps takes time; sleepers of the same moment go on in their order. */
function clock() {
  let at = 0;
  const sleep = async (ms: number) => {
    const until = at + ms;
    await Promise.resolve();
    at = Math.max(at, until);
  };
  const pass = (ms: number) => {
    at += ms;
  };
  return { now: () => at, sleep, pass };
}

it("lets a second's worth through at once, then keeps the pace, in order", async () => {
  const time = clock();
  const pace = pacer(100, time);
  const done: number[] = [];
  for (let i = 0; i < 100; i++) await pace(async () => void done.push(i));
  expect(time.now()).toBe(0);
  for (let i = 100; i < 120; i++) await pace(async () => void done.push(i));
  expect(time.now()).toBe(200);
  expect(done).toEqual(Array.from({ length: 120 }, (_, i) => i));
});

it("saves up no more than a second of quiet", async () => {
  const time = clock();
  const pace = pacer(10, time);
  const nothing = async () => {};
  await pace(nothing);
  time.pass(60_000);
  for (let i = 0; i < 10; i++) await pace(nothing);
  expect(time.now()).toBe(60_000);
  await pace(nothing);
  expect(time.now()).toBe(60_100);
});

it("is slower where what it makes takes longer, also when that fails", async () => {
  const time = clock();
  const pace = pacer(1_000, time);
  await expect(
    pace(async () => {
      time.pass(60);
      throw new Error("refused");
    }),
  ).rejects.toThrow("refused");
  // Each costs four times what it took, so that after the second saved up one comes each 240 ms.
  for (let i = 0; i < 12; i++) await pace(async () => time.pass(60));
  const before = time.now();
  await pace(async () => time.pass(60));
  expect(time.now() - before).toBeCloseTo(240, 0);
});
