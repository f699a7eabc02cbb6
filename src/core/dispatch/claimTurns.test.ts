import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
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

/** A poller that stays. */
const here = new AbortController().signal;

/** All that is ready to run has run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("turns of an organization's claims", () => {
  it("begins one at a time, in their order", async () => {
    const turns = new ClaimTurns();
    const claims = [openEnded(), openEnded(), openEnded()];
    const taken = claims.map(({ claim }) => turns.take("busy", claim, here));
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
    const taken = busy.map(({ claim }) => turns.take("busy", claim, here));
    expect(await turns.take("other", async () => "claimed", here)).toBe("claimed");
    for (const { end } of busy) end("done");
    await Promise.all(taken);
  });

  it("goes on after a claim that failed, one at a time", async () => {
    const turns = new ClaimTurns();
    const failing = openEnded();
    const failed = Promise.allSettled([turns.take("busy", failing.claim, here)]);
    const next = [openEnded(), openEnded()];
    const taken = next.map(({ claim }) => turns.take("busy", claim, here));
    failing.fail(new Error("the database is away"));
    expect((await failed).map(({ status }) => status)).toEqual(["rejected"]);
    await settled();
    expect(next.map(({ begun }) => begun())).toEqual([true, false]);
    for (const { end } of next) end("claimed");
    expect(await Promise.all(taken)).toEqual(["claimed", "claimed"]);
  });
});

describe("a poller in the line", () => {
  /** One claim at work, one poller behind it that may leave, and one behind that. */
  function lineOfTwo(turns = new ClaimTurns()) {
    const [first, left, last] = [openEnded(), openEnded(), openEnded()];
    const leaving = new AbortController();
    const taken = [
      turns.take("busy", first.claim, here),
      turns.take("busy", left.claim, leaving.signal),
      turns.take("busy", last.claim, here),
    ] as const;
    return { turns, first, left, last, leaving, taken };
  }

  it("that leaves is answered at once, claims nothing and holds up nobody", async () => {
    const { first, left, last, leaving, taken } = lineOfTwo();
    leaving.abort();
    expect(await taken[1]).toBeNull();
    first.end("claimed");
    await settled();
    expect([left.begun(), last.begun()]).toEqual([false, true]);
    last.end("claimed");
    expect(await Promise.all(taken)).toEqual(["claimed", null, "claimed"]);
  });

  it("that had left before it came does not wait", async () => {
    const { turns, first, left, last, taken } = lineOfTwo();
    expect(await turns.take("busy", openEnded().claim, AbortSignal.abort())).toBeNull();
    for (const { end } of [first, left, last]) end("claimed");
    await Promise.all(taken);
  });

  it("leaves the organization free when it was the last", async () => {
    const turns = new ClaimTurns();
    const [first, leaving] = [openEnded(), new AbortController()];
    const taken = [turns.take("busy", first.claim, here), turns.take("busy", openEnded().claim, leaving.signal)];
    leaving.abort();
    first.end("claimed");
    expect(await Promise.all(taken)).toEqual(["claimed", null]);
    expect(await turns.take("busy", async () => "claimed", here)).toBe("claimed");
  });

  it("is answered when the process stops, and the claim at work goes on", async () => {
    const { turns, first, taken } = lineOfTwo();
    turns.close();
    expect(await Promise.all([taken[1], taken[2]])).toEqual([null, null]);
    expect(await turns.take("busy", openEnded().claim, here)).toBeNull();
    expect(await turns.take("other", openEnded().claim, here)).toBeNull();
    first.end("claimed");
    expect(await taken[0]).toBe("claimed");
  });
});

describe("a claim that hangs", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  it("holds up its own line for 10 s, and hands on one turn in all", async () => {
    const turns = new ClaimTurns();
    const [hanging, next, last] = [openEnded(), openEnded(), openEnded()];
    const taken = [hanging, next, last].map(({ claim }) => turns.take("busy", claim, here));
    await pass(9_999);
    expect(next.begun()).toBe(false);
    await pass(1);
    expect([next.begun(), last.begun()]).toEqual([true, false]);
    hanging.end("late");
    await pass(5_000);
    expect(last.begun()).toBe(false);
    next.end("claimed");
    last.end("claimed");
    expect(await Promise.all(taken)).toEqual(["late", "claimed", "claimed"]);
  });

  it("alone leaves the organization free after that", async () => {
    const turns = new ClaimTurns();
    void turns.take("busy", () => new Promise(() => {}), here);
    await pass(10_000);
    expect(await turns.take("busy", async () => "claimed", here)).toBe("claimed");
  });
});

describe("a line, while other organizations claim", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  /** Another organization has just claimed; a claim of the busy one took so long, and its next stands in line. */
  async function lineAfter(tookMs: number, turns = new ClaimTurns()) {
    await turns.take("other", async () => "claimed", here);
    const [first, next] = [openEnded(), openEnded()];
    const taken = [first, next].map(({ claim }) => turns.take("busy", claim, here));
    await pass(tookMs);
    first.end("claimed");
    next.end("claimed");
    await pass(0);
    return { begun: next.begun, all: Promise.all(taken), turns };
  }

  it("pauses as long as its last claim took", async () => {
    const { begun, all } = await lineAfter(4);
    await pass(3);
    expect(begun()).toBe(false);
    await pass(1);
    expect(begun()).toBe(true);
    expect(await all).toEqual(["claimed", "claimed"]);
  });

  it("pauses for 10 ms at most", async () => {
    const { begun } = await lineAfter(500);
    await pass(9);
    expect(begun()).toBe(false);
    await pass(1);
    expect(begun()).toBe(true);
  });

  it("is free again when all in it leave during its pause", async () => {
    const turns = new ClaimTurns();
    await turns.take("other", async () => "claimed", here);
    const [first, leaving] = [openEnded(), new AbortController()];
    const taken = [turns.take("busy", first.claim, here), turns.take("busy", openEnded().claim, leaving.signal)];
    await pass(5);
    first.end("claimed");
    await pass(1);
    leaving.abort();
    await pass(10);
    expect(await Promise.all(taken)).toEqual(["claimed", null]);
    expect(await turns.take("busy", async () => "claimed", here)).toBe("claimed");
  });

  it("waits for nothing once the others have been away for a second", async () => {
    const { begun } = await lineAfter(1_001);
    await pass(0);
    expect(begun()).toBe(true);
  });

  it("waits for a claim that is at work, and no longer", async () => {
    const [turns, other] = [new ClaimTurns(), openEnded()];
    const { begun, all } = await lineAfter(1, turns);
    const claimed = turns.take("third", other.claim, here);
    // The line's next one began to wait before the third came; the one after that meets it.
    const after = openEnded();
    const taken = turns.take("busy", after.claim, here);
    await pass(1);
    expect([begun(), after.begun()]).toEqual([true, false]);
    await all;
    await pass(5);
    expect(after.begun()).toBe(false);
    other.end("claimed");
    await pass(0);
    expect(after.begun()).toBe(true);
    after.end("claimed");
    expect(await Promise.all([claimed, taken])).toEqual(["claimed", "claimed"]);
  });

  it("is held up for 10 ms by a claim that hangs, and not again", async () => {
    const turns = new ClaimTurns();
    void turns.take("hanging", () => new Promise(() => {}), here);
    const claims = [openEnded(), openEnded(), openEnded()];
    const taken = claims.map(({ claim }) => turns.take("busy", claim, here));
    for (const { end } of claims) end("claimed");
    await pass(9);
    expect(claims.map(({ begun }) => begun())).toEqual([true, false, false]);
    await pass(1);
    expect(claims.map(({ begun }) => begun())).toEqual([true, true, false]);
    await pass(1);
    expect(await Promise.all(taken)).toEqual(["claimed", "claimed", "claimed"]);
  });
});
