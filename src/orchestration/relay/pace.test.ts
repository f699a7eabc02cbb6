import { describe, expect, it } from "vitest";
import { nextPace, type Pace, pacer, type Signs } from "./pace.ts";

const QUIET: Signs = { backlogMs: 0, callMs: 10, bestMs: 8 };

describe("the pace of patient messages", () => {
  it.each<[string, Pace, Partial<Signs>, Pace]>([
    ["grows while nobody waits", { size: 8, pauseMs: 0 }, {}, { size: 12, pauseMs: 0 }],
    ["has a largest size", { size: 100, pauseMs: 0 }, {}, { size: 100, pauseMs: 0 }],
    ["stays while tasks wait a little", { size: 32, pauseMs: 50 }, { backlogMs: 150 }, { size: 32, pauseMs: 50 }],
    [
      "halves and pauses while tasks wait long",
      { size: 32, pauseMs: 0 },
      { backlogMs: 300 },
      { size: 16, pauseMs: 50 },
    ],
    ["halves and pauses while calls are slow", { size: 32, pauseMs: 0 }, { callMs: 13 }, { size: 16, pauseMs: 50 }],
    ["takes no prompt call for slow", { size: 8, pauseMs: 0 }, { callMs: 5, bestMs: 2 }, { size: 12, pauseMs: 0 }],
    ["pauses for longer while that lasts", { size: 4, pauseMs: 200 }, { callMs: 90 }, { size: 2, pauseMs: 400 }],
    ["has a longest pause", { size: 2, pauseMs: 800 }, { callMs: 90 }, { size: 2, pauseMs: 1_000 }],
    ["pauses for less once it is over", { size: 4, pauseMs: 800 }, {}, { size: 8, pauseMs: 400 }],
    ["pauses no more in the end", { size: 8, pauseMs: 50 }, {}, { size: 12, pauseMs: 0 }],
  ])("%s", (_what, pace, signs, next) => expect(nextPace(pace, { ...QUIET, ...signs }, 1_000)).toEqual(next));

  it("sends a little when nobody knows what the workers have to do", async () => {
    const { room } = pacer(
      1_000,
      () => false,
      () => Promise.reject(new Error("away")),
    );
    expect([await room(), await room()]).toEqual([2, 2]);
  });

  it("goes by the calls it is told of", async () => {
    const seen: number[] = [];
    const { room, sent } = pacer(
      1_000,
      () => true,
      undefined,
      (size) => seen.push(size),
    );
    expect([await room(), await room(), await room()]).toEqual([4, 8, 12]);
    expect(seen).toEqual([4, 8, 12]);
    sent(10);
    expect(await room()).toBe(16);
    sent(60);
    expect([await room(), await room()]).toEqual([8, 4]);
    for (let batch = 0; batch < 6; batch++) sent(10);
    expect(await room()).toBe(8);
  });

  it("goes by more than one call: a single late one counts for half", async () => {
    const { room, sent } = pacer(1_000, () => true);
    for (let batch = 0; batch < 3; batch++) sent(10);
    await room();
    sent(19);
    expect(await room()).toBe(8);
  });

  it("forgets what was slow once nothing was sent for a while: few messages wait for nothing", async () => {
    let at = 0;
    const { room, sent } = pacer(
      1_000,
      () => true,
      undefined,
      undefined,
      () => at,
    );
    sent(10);
    for (let batch = 0; batch < 5; batch++) sent(90);
    expect(await room()).toBe(2);
    at += 1_001;
    expect(await room()).toBe(4);
  });

  it("gets used to a server that is slower for good", async () => {
    const { room, sent } = pacer(1_000, () => true);
    sent(10);
    for (let batch = 0; batch < 60; batch++) sent(40);
    expect([await room(), await room()]).toEqual([4, 8]);
  });
});
