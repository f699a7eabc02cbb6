import { describe, expect, it } from "vitest";
import { DEPLOYMENT_MODES } from "../deployments/lifecycle.ts";
import { PROVENANCES } from "../deployments/provenance.ts";
import { accessOf } from "./access.ts";
import { settled } from "./cloudAccess.ts";
import { CloudRefusedError, CloudUnavailableError } from "./errors.ts";

const ORIGINS = ["manual", "push", "dependency", "pull_request", "promoted_pull_request", "local", "drift", "lifetime"];

describe("of its stack's access a run has", () => {
  it.each(DEPLOYMENT_MODES)("by the mode %s and where it comes from", (mode) => {
    for (const originType of ORIGINS) {
      const preview = mode === "plan_unlocked" || originType === "pull_request";
      for (const provenance of PROVENANCES) {
        const unmerged = provenance === "pull_request" && originType !== "promoted_pull_request";
        const of = { mode, originType, provenance };
        expect(accessOf({ ...of, isForeign: false })).toBe(preview || unmerged ? "previews" : "all");
        expect(accessOf({ ...of, isForeign: true })).toBe("none");
      }
    }
  });

  it("all of it once a pull request was promoted: that is reviewed", () => {
    const promoted = { isForeign: false, mode: "plan", originType: "promoted_pull_request" };
    for (const provenance of ["fork", "pull_request"] as const)
      expect(accessOf({ ...promoted, provenance })).toBe("all");
  });
});

describe("of several clouds", () => {
  const refused = new CloudRefusedError("refused", null);
  const away = new CloudUnavailableError("AWS", null);

  it("all credentials are needed, in order", async () =>
    expect(await settled([Promise.resolve("a"), Promise.resolve("b")])).toEqual(["a", "b"]));

  it.each([
    ["a refusal", [away, refused], refused],
    ["the first refusal", [refused, new CloudRefusedError("again", null)], refused],
    ["an outage, where none refuses", [away], away],
  ])("the run hears of %s", async (_, failures, heard) =>
    expect(settled([Promise.resolve("a"), ...failures.map((failure) => Promise.reject(failure))])).rejects.toBe(heard),
  );
});
