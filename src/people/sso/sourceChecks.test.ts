import { describe, expect, it } from "vitest";
import { PROVIDER_KEYS } from "../members/schema.ts";
import type { Discovery } from "./discovery.ts";
import { DiscoveryError } from "./errors.ts";
import { checkedSettings } from "./sourceChecks.ts";

/** An issuer that answers for itself with its slash, and one that does not answer. */
const discovery = {
  fresh: async (issuer: string) => {
    if (issuer.includes("silent")) throw new DiscoveryError("it did not answer");
    return { issuer: `${issuer}/` };
  },
} as unknown as Discovery;

const BASIC = { display_name: "IdP", enabled: true };
const OIDC = { ...BASIC, oidc_issuer: "https://idp.test", oidc_client_id: "svc" };
const checked = (provider: string, settings: object) =>
  checkedSettings(discovery, "an organization", provider, settings as typeof OIDC);
const problems = (provider: string, settings: object) =>
  checked(provider, settings).then(
    () => [],
    (error: { errors: { field: string }[] }) => error.errors.map(({ field }) => field),
  );

describe("settings of a source", () => {
  it("are stored as the issuer writes itself, with groups as the claim unless another is named", async () => {
    const stored = { oidcIssuer: "https://idp.test/", oidcClientId: "svc", oidcGroupsClaim: "groups" };
    expect(await checked("oidc", OIDC)).toEqual(stored);
    expect(await checked("oidc", { ...OIDC, oidc_groups_claim: "teams" })).toEqual({
      ...stored,
      oidcGroupsClaim: "teams",
    });
  });

  it("need an issuer and a client, and an issuer that answers", async () => {
    expect(await problems("oidc", BASIC)).toEqual(["oidc_issuer", "oidc_client_id"]);
    expect(await problems("oidc", { ...OIDC, oidc_client_id: undefined })).toEqual(["oidc_client_id"]);
    expect(await problems("oidc", { ...OIDC, oidc_issuer: "https://silent.test" })).toEqual(["oidc_issuer"]);
  });

  it.each(PROVIDER_KEYS.filter((key) => key !== "oidc"))("of %s are the operator's alone", async (provider) => {
    expect(await checked(provider, BASIC)).toEqual({ oidcIssuer: "", oidcClientId: "", oidcGroupsClaim: "" });
    const own = { oidc_groups_claim: "groups", groups_scope: "groups", client_secret: "s" };
    const fields = ["oidc_issuer", "oidc_client_id", "oidc_groups_claim", "groups_scope", "client_secret"];
    expect(await problems(provider, { ...OIDC, ...own })).toEqual(fields);
    expect(await problems(provider, { ...BASIC, groups_scope: null })).toEqual([]);
  });
});
