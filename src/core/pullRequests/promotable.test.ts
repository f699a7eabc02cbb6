import { describe, expect, it } from "vitest";
import { DEPLOYMENT_STATUSES } from "../deployments/lifecycle.ts";
import { assertPromotable, type Candidate, hasMoved, warningOf } from "./promotable.ts";

const READY = {
  head_sha: "head",
  generation: 3,
  latest_status: "finished",
  latest_generation: 3,
  latest_sha: "head",
  stack_commit: "base",
  repository_url: "https://git.example/acme/infra.git",
  working_directory: "network",
  pr_requirements: {},
  approved: true,
  mergeable: true,
  checks_passed: null,
} as Candidate;
const promoting =
  (more: Partial<Candidate> | null, pr_requirements = {}) =>
  () =>
    assertPromotable(more && { ...READY, pr_requirements, ...more });

describe("a pull request is promoted", () => {
  it("when the finished preview is of its present head", () => expect(promoting({})()).toEqual(READY));

  it.each([...DEPLOYMENT_STATUSES, null])("or not, while its preview is %s", (latest_status) => {
    if (latest_status === "finished") expect(promoting({ latest_status })).not.toThrow();
    else expect(promoting({ latest_status })).toThrow(expect.objectContaining({ status: 409 }));
  });

  it.each<[string, Partial<Candidate>]>([
    ["the head moved", { head_sha: "new", generation: 4 }],
    ["the head moved and came back", { generation: 5 }],
    ["the preview was of another commit", { latest_sha: "other" }],
    ["there is none", { latest_status: null, latest_generation: null, latest_sha: null }],
  ])("not when %s", (_, more) => expect(promoting(more)).toThrow(expect.objectContaining({ status: 409 })));

  it("only with what the stack requires, and that is said first", () => {
    expect(promoting({}, { promote: ["approved", "mergeable"] })).not.toThrow();
    // What the host cannot say does not hold.
    const missing = promoting({ latest_status: "failed" }, { promote: ["approved", "checks_passed"] });
    expect(missing).toThrow(expect.objectContaining({ status: 409, detail: expect.stringContaining("checks_passed") }));
    expect(promoting({}, { plan: ["checks_passed"] })).not.toThrow();
  });

  it("not on a stack that it does not touch", () =>
    expect(promoting(null)).toThrow(expect.objectContaining({ status: 404 })));
});

describe("between the question to the host and its use", () => {
  const moved = (more: Partial<Candidate>) => hasMoved(READY, { ...READY, ...more });

  it.each<[Partial<Candidate>, boolean]>([
    [{}, false],
    [{ stack_commit: "other" }, true],
    [{ stack_commit: null }, true],
    [{ head_sha: "new" }, true],
    [{ repository_url: "https://git.example/acme/other.git" }, true],
    [{ working_directory: "edge" }, true],
  ])("%j: asked again %s", (more, again) => expect(moved(more)).toBe(again));

  it("another promotion of this head may have come first", () =>
    expect(() => moved({ stack_commit: "head" })).toThrow(expect.objectContaining({ status: 409 })));
});

describe("what the stack's commit has to do with the head", () => {
  const at = { working_directory: "network" };
  const diverged = (paths: string[], complete = true) =>
    ({ relation: "diverged", lacking: { paths, complete } }) as const;

  it.each<[string, Parameters<typeof warningOf>[0], unknown, unknown]>([
    ["the head has it", { relation: "ahead" }, null, null],
    ["it has the head", { relation: "contained" }, "conflict", "conflict"],
    ["it changed other directories", diverged(["edge/main.tf"]), /outside its directory/, /outside its directory/],
    ["it changed the directory", diverged(["network/main.tf"]), "base_diverged", /takes them back/],
    ["nobody knows all it changed", diverged([], false), "base_diverged", /takes them back/],
    ["the host cannot compare", { relation: "unknown" }, "base_unknown", /could not be found out/],
    ["nobody can be asked", null, /could not be found out/, /could not be found out/],
  ])("%s", (_, standing, unforced, forced) => {
    for (const [force, expected] of [
      [false, unforced],
      [true, forced],
    ] as const) {
      const judged = () => warningOf(standing, at, force);
      if (typeof expected === "string")
        expect(judged).toThrow(expect.objectContaining({ status: 409, code: expected }));
      else if (expected === null) expect(judged()).toBeNull();
      else expect(judged()).toMatch(expected as RegExp);
    }
  });
});
