/**
 * What a change of an identity source may make of whom: who could come to hold more, who could vouch anew, where a
 * secret goes.
 */
import { describe, expect, it } from "vitest";
import type { SourceRow } from "./readSources.ts";
import { assertSecretStaysHome, confersAnew, trustsAnew } from "./sourceTrust.ts";

const OIDC = { oidcIssuer: "https://idp.test", oidcClientId: "svc", oidcGroupsClaim: "groups" };
const NONE = { oidcIssuer: "", oidcClientId: "", oidcGroupsClaim: "" };
const ON = { ...OIDC, enabled: true };
const row = (of: Partial<SourceRow>) => ({ ...ON, clientSecret: null, ...of }) as SourceRow;

describe("other people may come to hold what the source confers", () => {
  it.each([
    ["nothing changes", {}, {}, false],
    ["it is switched off", {}, { enabled: false }, false],
    ["it is switched on", { enabled: false }, {}, true],
    ["another issuer proves groups", {}, { oidcIssuer: "https://other.test" }, true],
    ["another client does", {}, { oidcClientId: "other" }, true],
    ["another claim does", {}, { oidcGroupsClaim: "teams" }, true],
    // Whoever switches it on later is asked then; but the claim is already another.
    ["another claim does, of one that is off", { enabled: false }, { enabled: false, oidcGroupsClaim: "teams" }, true],
  ])("when %s: %j to %j", (_, before, after, anew) => expect(confersAnew(row(before), { ...ON, ...after })).toBe(anew));
});

describe("an issuer can vouch for who is invited", () => {
  it.each([
    ["a new source", null, ON, true],
    ["a new source that is off", null, { ...ON, enabled: false }, false],
    ["a new source of the platform's provider", null, { ...NONE, enabled: true }, false],
    ["a source that stays as it is", row({}), ON, false],
    ["another client at the same issuer", row({}), { ...ON, oidcClientId: "other" }, false],
    ["another issuer", row({}), { ...ON, oidcIssuer: "https://other.test" }, true],
    ["another issuer while it is off", row({}), { ...ON, oidcIssuer: "https://other.test", enabled: false }, false],
    ["one that is switched on", row({ enabled: false }), ON, true],
  ])("anew: %s", (_, before, after, anew) => expect(trustsAnew(before, after)).toBe(anew));
});

describe("a stored secret", () => {
  const SECRET = { clientSecret: Buffer.from("sealed") };
  const OTHER = { ...OIDC, oidcIssuer: "https://other.test" };
  const settings = { display_name: "IdP", enabled: true };

  it("is sent again when the issuer changes", () =>
    expect(() => assertSecretStaysHome(row(SECRET), OTHER, settings)).toThrow(
      expect.objectContaining({ status: 422, errors: [{ field: "client_secret", message: expect.any(String) }] }),
    ));

  it.each([
    ["the issuer stays", row(SECRET), OIDC, settings],
    ["there is none", row({}), OTHER, settings],
    ["another comes with the issuer", row(SECRET), OTHER, { ...settings, client_secret: "new" }],
  ])("stays where %s", (_, before, after, sent) =>
    expect(() => assertSecretStaysHome(before, after, sent)).not.toThrow(),
  );
});
