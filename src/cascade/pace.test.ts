import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { pacer } from "./pace.ts";

const nothing = async () => {};

it("lets a second's worth through at once, then keeps the pace, in order", async () => {
  const pace = pacer(100);
  const started = performance.now();
  const done: number[] = [];
  await Promise.all(Array.from({ length: 120 }, (_, i) => pace(async () => void done.push(i))));
  // The 101st to 120th come 10 ms apart; Node's timers may be a millisecond early.
  expect(performance.now() - started).toBeGreaterThanOrEqual(195);
  expect(done).toEqual(Array.from({ length: 120 }, (_, i) => i));
});

it("saves up no more than a second of quiet", async () => {
  let now = 0;
  const pace = pacer(10, () => now);
  await pace(nothing);
  now = 60_000;
  for (let i = 0; i < 10; i++) await pace(nothing);
  const started = performance.now();
  await pace(nothing);
  expect(performance.now() - started).toBeGreaterThanOrEqual(95);
});

it("is slower where what it makes takes longer, also when that fails", async () => {
  const pace = pacer(1_000);
  const slow = () => pace(() => sleep(60));
  const failing = pace(async () => {
    await sleep(60);
    throw new Error("refused");
  });
  await expect(failing).rejects.toThrow("refused");
  // Each costs four times what it took, so that a second is used up after five.
  for (let i = 0; i < 6; i++) await slow();
  const started = performance.now();
  await pace(nothing);
  expect(performance.now() - started).toBeGreaterThanOrEqual(100);
});
