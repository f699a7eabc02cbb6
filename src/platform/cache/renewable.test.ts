import { beforeEach, describe, expect, it } from "vitest";
import { renewable } from "./renewable.ts";

class Outdated extends Error {}

let made: number;
let now: number;
/** From which one on they are good. */
let goodFrom: number;
let using: ReturnType<typeof renewable<number>>;
const use = () =>
  using(async (nth) => {
    await null;
    if (nth < goodFrom) throw new Outdated();
    return nth;
  });

beforeEach(() => {
  [made, now, goodFrom] = [0, 0, 1];
  using = renewable(
    () => ++made,
    (error) => error instanceof Outdated,
    { now: () => now },
  );
});

describe("what is kept", () => {
  it("is used until it is refused, and then made anew once", async () => {
    expect([await use(), await use()]).toEqual([1, 1]);
    goodFrom = 2;
    expect([await use(), await use(), made]).toEqual([2, 2, 2]);
  });

  it("is made anew once for all who were refused it", async () => {
    goodFrom = 2;
    expect(await Promise.all(Array.from({ length: 50 }, use))).toEqual(Array(50).fill(2));
    expect(made).toBe(2);
  });

  it("is not made again and again while that is in vain", async () => {
    goodFrom = 99;
    for (let i = 0; i < 20; i++) await expect(use()).rejects.toThrow(Outdated);
    expect(made).toBe(2);
    now = 30_000;
    goodFrom = 3;
    expect(await use()).toBe(3);
  });

  it("stays where the work fails for another reason", async () => {
    await expect(using(() => Promise.reject(new Error("away")))).rejects.toThrow("away");
    expect(made).toBe(1);
  });
});
