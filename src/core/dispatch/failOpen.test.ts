import { describe, expect, it, vi } from "vitest";
import { failOpen, NoBucketError } from "./failOpen.ts";
import type { Limiter } from "./types.ts";

const state = (code: string) => Object.assign(new Error("refused"), { code });

function attempts(errors: Partial<Record<Limiter, Error>>, rateLimit = true) {
  const tried: Limiter[] = [];
  const inc = vi.fn();
  const outcome = failOpen(
    { limits: { rateLimit, maxPerOrg: undefined }, metrics: { limiterErrors: { inc } } as never },
    async (limiter) => {
      tried.push(limiter);
      const error = errors[limiter];
      if (error) throw error;
      return "claimed";
    },
  );
  return { outcome, tried, counted: () => inc.mock.calls.length };
}

describe("a limiter", () => {
  it("that works, or is off, is asked once", async () => {
    const [on, off] = [attempts({}), attempts({}, false)];
    expect([await on.outcome, on.tried, on.counted()]).toEqual(["claimed", ["on"], 0]);
    expect([await off.outcome, off.tried, off.counted()]).toEqual(["claimed", ["off"], 0]);
  });

  it.each([
    ["a bucket that is not there", new NoBucketError("none")],
    ["a column that is gone", state("42703")],
    ["a table that is gone", state("42P01")],
    ["a division by zero", state("22012")],
    ["a check that fails", state("23514")],
    ["a right that is missing", state("42501")],
    ["an internal error", state("XX000")],
    ["one of these, wrapped", new Error("wrapped", { cause: state("42703") })],
  ])("is passed by when it fails: %s", async (_, error) => {
    const { outcome, tried, counted } = attempts({ on: error });
    expect([await outcome, tried, counted()]).toEqual(["claimed", ["on", "failed"], 1]);
  });

  it.each([
    ["a database that is away", state("08006")],
    ["one that stops", state("57P01")],
    ["one that is full", state("53100")],
    ["a conflict with others", state("40P01")],
    ["a wait that was too long", state("57014")],
    ["a transaction that was ended", state("25P03")],
    ["a connection that is lost", state("CONNECTION_CLOSED")],
    ["what is no error of the database", new Error("the poller went away")],
  ])("is not blamed for %s", async (_, error) => {
    const { outcome, tried, counted } = attempts({ on: error });
    await expect(outcome).rejects.toBe(error);
    expect([tried, counted()]).toEqual([["on"], 0]);
  });

  it("is not blamed either when what it would have allowed fails without it", async () => {
    const again = state("42703");
    const { outcome, counted } = attempts({ on: state("42703"), failed: again });
    await expect(outcome).rejects.toBe(again);
    expect(counted()).toBe(0);
  });
});
