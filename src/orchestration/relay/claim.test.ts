import { describe, expect, it } from "vitest";
import { backOffMs } from "./claim.ts";

describe("backOffMs", () => {
  it("doubles with each attempt up to 30 s, and is drawn from its upper half", () => {
    expect([1, 2, 3, 4].map((attempts) => backOffMs(attempts, 1))).toEqual([500, 1_000, 2_000, 4_000]);
    expect(backOffMs(1, 0)).toBe(250);
    expect(backOffMs(1_000_000, 1)).toBe(30_000);
    expect(backOffMs(1_000_000, 0)).toBe(15_000);
  });
});
