import { describe, expect, it } from "vitest";
import { ClaimTurns } from "./claimTurns.ts";

/** A claim that ends when it is told to. */
function openEnded() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let begun = false;
  return {
    claim: () => {
      begun = true;
      return promise;
    },
    end: resolve,
    fail: reject,
    begun: () => begun,
  };
}

/** All that is ready to run has run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("turns of an organization's claims", () => {
  it("begins two at once and the others in their order as these end", async () => {
    const turns = new ClaimTurns();
    const claims = [openEnded(), openEnded(), openEnded(), openEnded()];
    const taken = claims.map(({ claim }) => turns.take("busy", claim));
    await settled();
    expect(claims.map(({ begun }) => begun())).toEqual([true, true, false, false]);
    claims[1]!.end("second");
    expect(await taken[1]).toBe("second");
    await settled();
    expect(claims.map(({ begun }) => begun())).toEqual([true, true, true, false]);
    for (const { end } of claims) end("done");
    expect(await Promise.all(taken)).toEqual(["done", "second", "done", "done"]);
  });

  it("lets no organization wait for another", async () => {
    const turns = new ClaimTurns();
    const busy = [openEnded(), openEnded(), openEnded()];
    const taken = busy.map(({ claim }) => turns.take("busy", claim));
    expect(await turns.take("other", async () => "claimed")).toBe("claimed");
    for (const { end } of busy) end("done");
    await Promise.all(taken);
  });

  it("goes on after a claim that failed", async () => {
    const turns = new ClaimTurns();
    const failing = [openEnded(), openEnded()];
    const failed = Promise.allSettled(failing.map(({ claim }) => turns.take("busy", claim)));
    const next = turns.take("busy", async () => "claimed");
    for (const { fail } of failing) fail(new Error("the database is away"));
    expect((await failed).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await next).toBe("claimed");
    // No place was lost: two begin at once again.
    const after = [openEnded(), openEnded()];
    const taken = after.map(({ claim }) => turns.take("busy", claim));
    await settled();
    expect(after.map(({ begun }) => begun())).toEqual([true, true]);
    for (const { end } of after) end("done");
    await Promise.all(taken);
  });
});
