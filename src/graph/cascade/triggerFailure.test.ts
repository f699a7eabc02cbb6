import { describe, expect, it } from "vitest";
import { HostError } from "../../exchange/scm/host/errors.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { QuotaReachedError } from "../../work/quotas.ts";
import { failureOf } from "./triggerFailure.ts";

const problem = (status: 404 | 409 | 422 | 502 | 503) =>
  new ProblemError({ status, code: "conflict", detail: "what people may read" });

describe("a dependent that could not be triggered", () => {
  it.each([
    [404, false],
    [409, false],
    // There is no such branch, which no waiting changes.
    [422, false],
    [502, true],
    [503, true],
  ] as const)("by a problem of status %i may be tried again: %s", (status, passing) =>
    expect(failureOf(problem(status))).toEqual({ text: "what people may read", passing, retryAfterMs: null }),
  );

  it("waits as long as its host asks, and says why", () => {
    const busy = new HostError("rate_limited", 429, 60_000);
    expect(failureOf(busy)).toEqual({ text: busy.detail, passing: true, retryAfterMs: 60_000 });
    expect(busy).toMatchObject({ status: 503, retryAfterSeconds: 60 });
  });

  it("waits for room in a queue that is full, and for a place to call others from", () => {
    const full = new QuotaReachedError("queued_deployments", 5, 5);
    expect(failureOf(full)).toEqual({ text: full.detail, passing: true, retryAfterMs: null });
    const busy = new ProblemError({ status: 429, code: "rate_limited", detail: "busy", retryAfterSeconds: 5 });
    expect(failureOf(busy)).toMatchObject({ passing: true });
  });

  it.each([new Error("https://x:token@host failed"), "thrown text", undefined])(
    "by what nobody foresaw shows nothing of it: %s",
    (error) => expect(failureOf(error)).toEqual({ text: "internal error", passing: true, retryAfterMs: null }),
  );
});
