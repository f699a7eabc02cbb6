import { describe, expect, test } from "vitest";
import { ApiError } from "../../clients/api/problem.ts";
import { EXIT, exitCodesText } from "./exitCodes.ts";
import { exitOfDeployment } from "./ofDeployment.ts";
import { exitOf, failureOf } from "./ofProblem.ts";

test.each([
  [401, "not_authenticated", 4],
  [403, "forbidden", 5],
  [403, "session_required", 5],
  [404, "not_found", 5],
  [409, "conflict", 8],
  [409, "plan_changed", 8],
  [409, "requirements_not_met", 7],
  [422, "invalid_value", 3],
  [400, "malformed_request", 3],
  [413, "payload_too_large", 3],
  [429, "rate_limited", 1],
  [500, "internal", 1],
  [503, "database_unavailable", 1],
] as const)("%d %s is %d", (status, code, exit) => {
  expect(exitOf({ status, code })).toBe(exit);
});

test("a refusal names each field, what is allowed there, and the request", () => {
  const problem = {
    type: "about:blank",
    title: "Unprocessable",
    status: 422,
    detail: "A value is not allowed.",
    errors: [{ field: "mode", message: "is not one of the allowed values", allowed: ["plan", "destroy"] }],
    request_id: "r-1",
  };
  expect(failureOf(new ApiError(problem), {}).message).toBe(
    "A value is not allowed.\n  mode: is not one of the allowed values (plan, destroy)\n  request r-1",
  );
});

describe("a refusal says what to do next", () => {
  const refusal = (status: number, more = {}) => new ApiError({ type: "", title: "No", status, ...more }, 7);
  test.each([
    [401, {}, "deploy login"],
    [403, {}, "deploy whoami"],
    [404, {}, "deploy whoami"],
    [409, {}, "deploy queue"],
    [409, { code: "requirements_not_met" }, "deploy open"],
    [429, {}, "Wait 7 seconds"],
    [500, { request_id: "r-1" }, "the number of the request"],
  ])("%d %o: %s", (status, more, hint) => {
    expect(failureOf(refusal(status, more), {}).hint).toContain(hint);
  });

  test("of a token, where that token comes from", () => {
    expect(failureOf(refusal(401), { DEPLOY_TOKEN: "t" }).hint).toContain("DEPLOY_TOKEN");
  });

  test("of what was called wrongly, by the help of its command", () => {
    expect(failureOf(refusal(422), {}).hint).toBeNull();
  });
});

describe("a deployment", () => {
  const plain = { detailed: false, applied: false };
  test.each([
    ["finished", true, 0],
    ["waiting", true, 0],
    ["failed", null, 1],
    ["cancelled", true, 6],
    ["skipped", true, 6],
  ])("that is %s ends with %d", (status, hasChanges, exit) => {
    expect(exitOfDeployment({ status: status as string, hasChanges: hasChanges as boolean | null }, plain)).toBe(exit);
  });

  test.each([
    ["finished", false, false, 0],
    ["finished", true, false, 2],
    ["finished", true, true, 0],
    ["waiting", true, false, 2],
    ["failed", true, false, 1],
    ["skipped", true, false, 6],
  ])("with --detailed-exitcode: %s, changes %s, applied %s is %d", (status, hasChanges, applied, exit) => {
    expect(exitOfDeployment({ status, hasChanges }, { detailed: true, applied })).toBe(exit);
  });
});

test("the codes are told apart, and each is explained", () => {
  const codes = Object.values(EXIT);
  expect(new Set(codes).size).toBe(codes.length);
  for (const code of codes) expect(exitCodesText()).toMatch(new RegExp(`^ +${code}  \\S`, "m"));
});
