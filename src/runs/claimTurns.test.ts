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
  it("begins one at a time, in their order", async () => {
    const turns = new ClaimTurns();
    const claims = [openEnded(), openEnded(), openEnded()];
    const taken = claims.map(({ claim }) => turns.take("busy", claim));
    await settled();
    expect(claims.map(({ begun }) => begun())).toEqual([true, false, false]);
    claims[0]!.end("first");
    expect(await taken[0]).toBe("first");
    await settled();
    expect(claims.map(({ begun }) => begun())).toEqual([true, true, false]);
    for (const { end } of claims) end("done");
    expect(await Promise.all(taken)).toEqual(["first", "done", "done"]);
  });

  it("lets no organization wait for another", async () => {
    const turns = new ClaimTurns();
    const busy = [openEnded(), openEnded()];
    const taken = busy.map(({ claim }) => turns.take("busy", claim));
    expect(await turns.take("other", async () => "claimed")).toBe("claimed");
    for (const { end } of busy) end("done");
    await Promise.all(taken);
  });

  it("goes on after a claim that failed, one at a time", async () => {
    const turns = new ClaimTurns();
    const failing = openEnded();
    const failed = Promise.allSettled([turns.take("busy", failing.claim)]);
    const next = [openEnded(), openEnded()];
    const taken = next.map(({ claim }) => turns.take("busy", claim));
    failing.fail(new Error("the database is away"));
    expect((await failed).map(({ status }) => status)).toEqual(["rejected"]);
    await settled();
    expect(next.map(({ begun }) => begun())).toEqual([true, false]);
    for (const { end } of next) end("claimed");
    expect(await Promise.all(taken)).toEqual(["claimed", "claimed"]);
  });
});
