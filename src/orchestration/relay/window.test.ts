import { describe, expect, it } from "vitest";
import { nextWindow, windowOf } from "./window.ts";

describe("the window of patient messages", () => {
  it.each([
    ["doubles while tasks are taken at once", 8, 0, 16],
    ["has a largest size", 100, 0, 100],
    ["stays while tasks wait a little", 32, 150, 32],
    ["is closed while tasks wait long", 32, 300, 0],
    ["has a smallest size", 0, 0, 4],
  ])("%s", (_what, window, backlogMs, next) => expect(nextWindow(window, backlogMs)).toBe(next));

  it("opens a little when nobody knows what the workers have to do", async () => {
    const room = windowOf(
      () => Promise.reject(new Error("away")),
      () => false,
    );
    expect(await room()).toBe(4);
  });

  it("waits until the workers have taken what waits, and begins smaller", async () => {
    const waits = [0, 0, 0, 900, 900, 100];
    const room = windowOf(
      async () => waits.shift() ?? 0,
      () => false,
    );
    expect([await room(), await room(), await room()]).toEqual([8, 16, 32]);
    expect(await room()).toBe(8);
  });
});
