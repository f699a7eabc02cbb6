/** How people sign in. */
import { baseUrl, duration, integer, text } from "../../platform/settings/formats.ts";
import { optional, withDefault } from "../../platform/settings/setting.ts";

export const PEOPLE = {
  signIn: {
    codehostClientId: optional("SVC_SSO_CODEHOST_CLIENT_ID", text(/^\S{1,500}$/, "a client id"), {
      what: "client id at the code host; unset: nobody signs in with it",
      unit: "text",
      example: "Iv1.0123456789abcdef",
    }),
    codehostClientSecret: optional("SVC_SSO_CODEHOST_CLIENT_SECRET", text(/^\S{1,2000}$/, "a client secret"), {
      what: "client secret at the code host",
      unit: "text",
      example: "the secret the code host shows once",
      secret: true,
    }),
    codehostBaseUrl: withDefault("SVC_SSO_CODEHOST_BASE_URL", baseUrl, "https://github.com", {
      what: "the code host; an enterprise installation's own address. It is the issuer stored on identities",
      unit: "URL",
    }),
    workspaceClientId: optional("SVC_SSO_WORKSPACE_CLIENT_ID", text(/^\S{1,500}$/, "a client id"), {
      what: "client id at the workspace provider; unset: nobody signs in with it",
      unit: "text",
      example: "1234567890-abc.apps.googleusercontent.com",
    }),
    workspaceClientSecret: optional("SVC_SSO_WORKSPACE_CLIENT_SECRET", text(/^\S{1,2000}$/, "a client secret"), {
      what: "client secret at the workspace provider",
      unit: "text",
      example: "the secret the provider shows",
      secret: true,
    }),
    workspaceHostedDomain: optional("SVC_SSO_WORKSPACE_HOSTED_DOMAIN", text(/^[\w.-]{1,253}$/, "a domain name"), {
      what: "domain that the workspace provider's account chooser shows first; a hint, decides nothing",
      unit: "domain",
      example: "example.com",
    }),
    entitlementTtlMs: withDefault("SVC_SSO_ENTITLEMENT_TTL", duration, "P7D", {
      what: "how long what a sign-in learned of groups and memberships lasts without another sign-in",
      unit: "duration",
    }),
    requestsPerMinute: withDefault("SVC_SSO_REQUESTS_PER_MINUTE", integer(1, 1_000_000), "30", {
      what: "requests a client address may make to the public sign-in routes",
      unit: "requests/min",
    }),
  },
};
