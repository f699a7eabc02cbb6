import { CompleteAsyncError } from "@temporalio/activity";
import { ApplicationFailure, CancelledFailure } from "@temporalio/common";
import { describe, expect, it } from "vitest";
import { failureReducer, type ReducedFailure } from "./activityFailures.ts";

const ID = "01a21fcb-3922-70e9-b2a4-b9165941bc7a";

/** What a history would get of an activity that throws `error`, and what is told besides. */
async function thrown(error: unknown, args: unknown[] = [ID]): Promise<{ failure: unknown; seen: ReducedFailure[] }> {
  const seen: ReducedFailure[] = [];
  const reducer = failureReducer("decide", (_activity, failure) => void seen.push(failure));
  const next = () => Promise.reject(error);
  try {
    await reducer.execute?.({ args, headers: {} }, next);
  } catch (failure) {
    return { failure, seen };
  }
  throw new Error("nothing was thrown");
}

class PostgresError extends Error {
  code: string;
  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

describe("failureReducer", () => {
  it("keeps class, code and id of a database error, and none of its text", async () => {
    const cause = new PostgresError("canary-value violates a check", "23514");
    const wrapped = new Error("Failed query: update x set y = $1\nparams: canary-secret", { cause });
    const { failure, seen } = await thrown(wrapped);
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ message: `PostgresError 23514 ${ID}`, type: "PostgresError", nonRetryable: false });
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toMatch(/canary/);
    expect((failure as Error).stack).toBe("");
    expect((failure as Error).cause).toBeUndefined();
    expect(seen).toEqual([{ type: "PostgresError", code: "23514" }]);
  });

  it("names an outage of the database as such", async () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED 10.0.0.7:5432"), { code: "ECONNREFUSED" });
    expect((await thrown(refused)).failure).toMatchObject({ message: `DatabaseUnavailable ECONNREFUSED ${ID}` });
  });

  it("leaves out what is no id, and takes what is no error", async () => {
    expect((await thrown(new TypeError("canary"), ["not an id"])).failure).toMatchObject({ message: "TypeError" });
    expect((await thrown("canary", [])).failure).toMatchObject({ message: "string" });
  });

  it("passes on what the SDK uses itself", async () => {
    for (const own of [new CancelledFailure("cancelled"), new CompleteAsyncError()]) {
      expect(await thrown(own)).toEqual({ failure: own, seen: [] });
    }
  });
});
