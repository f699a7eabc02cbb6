import { expect, test } from "vitest";
import { together } from "./together.ts";

test("gives what each came to, in their order", async () => {
  expect(await together([Promise.resolve(1), Promise.resolve("two")])).toEqual([1, "two"]);
});

test("throws the first failure in their order, and only when all have ended", async () => {
  const ended: string[] = [];
  let letGo = () => {};
  const slow = new Promise<void>((resolve) => {
    letGo = resolve;
  }).then(() => {
    ended.push("slow");
    throw new Error("slow");
  });
  const fast = Promise.reject(new Error("fast"));
  const both = together([slow, fast]).finally(() => ended.push("both"));
  await fast.catch(() => letGo());
  await expect(both).rejects.toThrow("slow");
  expect(ended).toEqual(["slow", "both"]);
});
