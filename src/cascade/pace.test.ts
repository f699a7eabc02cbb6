import { expect, it } from "vitest";
import { pacer } from "./pace.ts";

it("lets a second's worth through at once, then keeps the pace, in order", async () => {
  const pace = pacer(100);
  const started = performance.now();
  const done: number[] = [];
  await Promise.all(
    Array.from({ length: 120 }, async (_, i) => {
      await pace();
      done.push(i);
    }),
  );
  const elapsed = performance.now() - started;
  // The 101st to 120th come 10 ms apart; Node's timers may be a millisecond early.
  expect(elapsed).toBeGreaterThanOrEqual(195);
  expect(done).toEqual(Array.from({ length: 120 }, (_, i) => i));
});

it("saves up no more than a second of quiet", async () => {
  let now = 0;
  const pace = pacer(10, () => now);
  now = 60_000;
  for (let i = 0; i < 10; i++) await pace();
  const started = performance.now();
  await pace();
  expect(performance.now() - started).toBeGreaterThanOrEqual(95);
});
