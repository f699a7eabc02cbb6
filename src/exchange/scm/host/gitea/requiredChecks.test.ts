import { expect, it } from "vitest";
import { matching } from "./requiredChecks.ts";

const reported = ["ci/build", "ci/test (pull_request)", "lint"];

it.each([
  ["lint", ["lint"]],
  ["ci/*", ["ci/build", "ci/test (pull_request)"]],
  ["*", reported],
  ["c?/b*d", ["ci/build"]],
  ["*(pull_request)", ["ci/test (pull_request)"]],
  // None has reported: the pattern stands for one that is awaited.
  ["deploy/*", ["deploy/*"]],
  ["ci", ["ci"]],
  ["", [""]],
])("%s", (pattern, names) => {
  expect(matching(pattern, reported).map(({ name }) => name)).toEqual(names);
});

it("takes no longer for a pattern that a clever person wrote", () => {
  const started = performance.now();
  matching("*a".repeat(200), ["a".repeat(5_000)]);
  expect(performance.now() - started).toBeLessThan(1_000);
});
