import { expect, it } from "vitest";
import { onePass } from "./onePass.ts";

/** Batches that take `ms` each on a clock of their own. */
function batches(sizes: number[], ms: number) {
  let at = 0;
  let done = 0;
  const batch = async () => {
    at += ms;
    const removed = sizes[done++] ?? 0;
    return { removed, more: done < sizes.length };
  };
  return { pass: () => onePass(batch, () => at), done: () => done };
}

it.each([
  ["nothing is left", [500, 500, 3], 10, 1_003, 3],
  ["there was nothing", [0], 10, 0, 1],
  ["its time is up", [50, 50, 50, 50], 10_000, 150, 3],
  ["one batch took all of it", [50, 50], 60_000, 50, 1],
] as const)("a pass goes on until %s", async (_, sizes, ms, removed, taken) => {
  const { pass, done } = batches([...sizes], ms);
  expect([await pass(), done()]).toEqual([removed, taken]);
});

it("a batch that fails ends it", async () => {
  await expect(onePass(() => Promise.reject(new Error("away")))).rejects.toThrow("away");
});
