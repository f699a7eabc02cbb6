import { describe, expect, it } from "vitest";
import { claimedGroups } from "./groupsClaim.ts";

const listed = (claims: Record<string, unknown>, claim = "groups") => claimedGroups(claims, claim);

describe("groups in a token", () => {
  it("reads a list, and a single string as a list of one", () => {
    expect(listed({ groups: ["a", "b", "a"] })).toEqual({ kind: "listed", groups: ["a", "b"] });
    expect(listed({ groups: "a,b" })).toEqual({ kind: "listed", groups: ["a,b"] });
    expect(listed({ "https://x.test/roles": ["a"] }, "https://x.test/roles")).toEqual({
      kind: "listed",
      groups: ["a"],
    });
  });

  it("takes text that looks like JSON as the name it is", () => {
    expect(listed({ groups: '["admins"]' })).toEqual({ kind: "listed", groups: ['["admins"]'] });
    expect(listed({ groups: ['["admins","infra"]', '{"a":1}'] })).toEqual({
      kind: "listed",
      groups: ['["admins","infra"]', '{"a":1}'],
    });
  });

  it("finds no group in what is no text, too long, empty or inherited", () => {
    for (const groups of [
      undefined,
      null,
      7,
      true,
      {},
      { 0: "a" },
      [],
      [[], ["a"], 1, null, "", "x".repeat(501), "n\0"],
    ]) {
      expect(listed({ groups })).toEqual({ kind: "listed", groups: [] });
    }
    expect(listed({}, "constructor")).toEqual({ kind: "listed", groups: [] });
    expect(listed({}, "__proto__")).toEqual({ kind: "listed", groups: [] });
  });

  it("tells a reference to another endpoint from an empty list", () => {
    const overage = { kind: "overage" };
    expect(listed({ _claim_names: { groups: "src1" }, _claim_sources: {} })).toEqual(overage);
    expect(listed({ hasgroups: true })).toEqual(overage);
    expect(listed({ _claim_names: { roles: "src1" } })).toEqual({ kind: "listed", groups: [] });
    expect(listed({ hasgroups: true }, "roles")).toEqual({ kind: "listed", groups: [] });
    expect(listed({ _claim_names: "groups" })).toEqual({ kind: "listed", groups: [] });
    // Values that are there are an answer, whatever is said beside them.
    expect(listed({ groups: ["a"], _claim_names: { groups: "src1" } })).toEqual({ kind: "listed", groups: ["a"] });
  });
});
