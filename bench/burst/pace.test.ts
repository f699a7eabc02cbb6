import { describe, expect, it } from "vitest";
import { atPace } from "./pace.ts";

const never = new AbortController().signal;

describe("calls at a steady pace", () => {
  it("do not wait for the answers of those before", async () => {
    const gate = Promise.withResolvers<void>();
    let open = 0;
    let most = 0;
    await atPace({ everyMs: 1, most: 3, stop: never }, async () => {
      most = Math.max(most, ++open);
      if (open === 3) gate.resolve();
      await gate.promise;
      open--;
    });
    expect(most).toBe(3);
  });

  it("end when told to, and what was begun is waited for", async () => {
    const stop = new AbortController();
    let [begun, ended] = [0, 0];
    await atPace({ everyMs: 1, most: 1_000, stop: stop.signal }, async () => {
      if (++begun === 2) stop.abort();
      await new Promise(setImmediate);
      ended++;
    });
    expect([begun, ended]).toEqual([2, 2]);
  });

  it("end with the first failure", async () => {
    let begun = 0;
    const calls = atPace({ everyMs: 1, most: 1_000, stop: never }, async () => {
      if (++begun === 2) throw new Error("refused");
    });
    await expect(calls).rejects.toThrow("refused");
    expect(begun).toBeLessThan(1_000);
  });
});
