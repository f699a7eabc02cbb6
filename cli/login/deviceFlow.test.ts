import { expect, test } from "vitest";
import { ApiError } from "../../clients/api/problem.ts";
import { fitting, nextPause } from "./deviceFlow.ts";

const problem = (status: number, code?: string) =>
  new ApiError({ type: "", title: "t", status, ...(code && { code: code as never }) });

test.each([
  [problem(400, "authorization_pending"), 5],
  [problem(400, "slow_down"), 10],
  [problem(503, "database_unavailable"), 5],
  [problem(429, "rate_limited"), 5],
  [new TypeError("fetch failed"), 5],
  [problem(400, "access_denied"), null],
  [problem(400, "expired_token"), null],
  [problem(400, "invalid_grant"), null],
  [problem(404, "not_found"), null],
  [new Error("aborted"), null],
])("%s: %s", (error, pause) => {
  expect(nextPause(error, 5)).toBe(pause);
});

test.each([
  ["ada-laptop", "ada-laptop"],
  [" a\nb\u202e ", "ab"],
  ["", "unknown"],
  ["x".repeat(60), "x".repeat(56)],
])("%j is called %j", (name, shown) => {
  expect(fitting(name, 56)).toBe(shown);
});
