import { describe, expect, it } from "vitest";
import { DEPLOYMENT_STATUSES, isTerminal } from "./lifecycle.ts";
import { assertRetriable, assertStillTheRequests, originOf, type Retried, RetryConflictError } from "./retriable.ts";

const ORIGINS = [
  "manual",
  "push",
  "dependency",
  "pull_request",
  "promoted_pull_request",
  "local",
] as const satisfies Retried["origin_type"][];
const refuses = (assert: () => void) => {
  try {
    assert();
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(RetryConflictError);
    return true;
  }
};

describe("a retry", () => {
  it.each(DEPLOYMENT_STATUSES)("of a deployment that is %s", (status) => {
    for (const origin_type of ORIGINS)
      for (const mode of ["plan", "drift"] as const)
        expect(refuses(() => assertRetriable({ status, mode, origin_type }))).toBe(
          !isTerminal(status) || origin_type === "local" || mode === "drift",
        );
  });

  const preview = { id: "d-1", origin_type: "pull_request", origin_pr_generation: 3 } as const;
  const promoted = { ...preview, origin_type: "promoted_pull_request" } as const;

  it.each([
    ["a preview that is the latest of its head", preview, { latest_deployment_id: "d-1", generation: 3 }, true],
    ["a preview that another one followed", preview, { latest_deployment_id: "d-2", generation: 3 }, false],
    ["a preview that was the latest of an older head", preview, { latest_deployment_id: "d-1", generation: 4 }, false],
    ["a preview of a request that is closed", preview, undefined, false],
    ["a promoted one of the head that is reviewed now", promoted, { latest_deployment_id: "d-2", generation: 3 }, true],
    ["a promoted one of an older head", promoted, { latest_deployment_id: "d-2", generation: 4 }, false],
    ["a promoted one of a request that is closed", promoted, undefined, false],
  ] as const)("of %s", (_, retried, link, allowed) =>
    expect(refuses(() => assertStillTheRequests(retried, link))).toBe(!allowed),
  );
});

describe("a retry comes from", () => {
  const NOWHERE = {
    commit_sha: "c0ffee",
    pull_request_id: null,
    origin_dependency_deployment_id: null,
    cascade_stack_path: [],
  } as unknown as Retried;

  it("nowhere, when a person or a push made it", () => expect(originOf(NOWHERE)).toEqual({}));

  it("the apply that its deployment followed, by the same path", () => {
    const followed = { ...NOWHERE, origin_dependency_deployment_id: "p-1", cascade_stack_path: ["a", "b"] };
    expect(originOf(followed)).toEqual({ dependency: { deploymentId: "p-1", stackPath: ["a", "b"] } });
  });

  it("the pull request as it was then, with the commit for a head that was not kept", () => {
    const of = {
      ...NOWHERE,
      pull_request_id: "r-1",
      origin_pr_number: 7,
      origin_pr_generation: 3,
      origin_head_sha: null,
      origin_pr_title: "Add it",
    };
    expect(originOf(of).pullRequest).toMatchObject({
      id: "r-1",
      number: 7,
      generation: 3,
      headSha: "c0ffee",
      title: "Add it",
      body: "",
    });
  });
});
