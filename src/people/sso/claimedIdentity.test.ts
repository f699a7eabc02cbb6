import { describe, expect, it } from "vitest";
import { textClaim, verifiedLogins } from "./claimedIdentity.ts";
import { groupKeys } from "./groupKeys.ts";

describe("a text claim", () => {
  it.each([
    [{ name: "Kate" }, "Kate"],
    [{ name: "" }, undefined],
    [{ name: "a\0b" }, undefined],
    [{ name: 7 }, undefined],
    [{ name: ["Kate"] }, undefined],
    [{ name: null }, undefined],
    [{}, undefined],
  ])("of %j is %j", (claims, text) => expect(textClaim(claims, "name")).toBe(text));

  it("is the token's own, never what every object has", () => {
    expect(textClaim({}, "constructor")).toBeUndefined();
    expect(textClaim(Object.create({ name: "Kate" }), "name")).toBeUndefined();
  });
});

describe("invitations match", () => {
  it.each([
    [{ email: "k@corp.test", email_verified: true, preferred_username: "kate" }, ["k@corp.test", "kate"]],
    [{ email: "k@corp.test", email_verified: false, preferred_username: "kate" }, ["kate"]],
    [{ email: "k@corp.test" }, []],
    [{ email: "k@corp.test", email_verified: "true" }, ["k@corp.test"]],
    ...["TRUE", "false", "1", "yes", "", 1, {}, [true], null].map(
      (email_verified) => [{ email: "k@corp.test", email_verified }, []] as [Record<string, unknown>, string[]],
    ),
    // People choose such a name themselves, so it would be somebody else's address.
    [{ preferred_username: "boss@corp.test" }, []],
    [{ email: "k@corp.test", email_verified: true, preferred_username: "boss@corp.test" }, ["k@corp.test"]],
    [{}, []],
  ])("%j by %j", (claims, logins) => expect(verifiedLogins(claims)).toEqual(logins));
});

describe("bindings call the groups", () => {
  it.each([
    [{ kind: "oidc", groups: ["staff", "acme/ops"] }, ["staff", "acme/ops"]],
    [{ kind: "workspace", hostedDomain: "corp.test" }, ["corp.test"]],
    [{ kind: "workspace", hostedDomain: null }, []],
    [{ kind: "codehost", orgs: ["acme"], teams: [{ org: "acme", team: "ops" }] }, ["acme", "acme/ops"]],
  ] as const)("of %j %j", (facts, keys) => expect(groupKeys(facts)).toEqual(keys));
});
