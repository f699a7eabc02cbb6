/** Where verifiers find who signs the identities of runs, and with which keys. */
import type { Hono } from "hono";
import * as v from "valibot";
import type { AppEnv } from "../../http/endpoint.ts";
import { described } from "../../http/operation.ts";
import { readCache } from "../../platform/cache/readCache.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import type { IdentityIssuer } from "./issuer.ts";
import { ALGORITHM } from "./signingKeys.ts";

const DISCOVERY = "/.well-known/openid-configuration";
const JWKS = "/.well-known/jwks.json";
/** Anybody may ask, so the database is asked this rarely. A key is published long before it signs. */
const KEPT_MS = 5_000;
const CACHED = { "cache-control": "public, max-age=300" };
const tag = "identities";

const Discovery = v.object({
  issuer: v.string(),
  jwks_uri: v.string(),
  response_types_supported: v.array(v.string()),
  subject_types_supported: v.array(v.string()),
  id_token_signing_alg_values_supported: v.array(v.string()),
  scopes_supported: v.array(v.string()),
  claims_supported: v.array(v.string()),
});
const KeySet = v.object({
  keys: v.array(
    v.object({
      kid: v.string(),
      kty: v.string(),
      use: v.string(),
      alg: v.string(),
      n: v.string(),
      e: v.string(),
    }),
  ),
});

const CLAIMS = [
  ...["iss", "sub", "aud", "iat", "nbf", "exp", "jti", "organization_id", "stack_key", "stack_slug", "phase", "run_id"],
  ...["run_kind", "deployment_id", "mode", "origin", "provenance", "commit_sha", "branch", "runner_group_id"],
  "environment",
];

/** @param issuer null where the service has no public address: then it is nobody's issuer */
export function wellKnownRoutes(app: Hono<AppEnv>, issuer: IdentityIssuer | null): void {
  const published = readCache(
    async (_: "keys") => {
      if (issuer === null) throw new NotFoundError();
      return { keys: await issuer.keys.published() };
    },
    { max: 1, ttl: KEPT_MS },
  );
  app.get(
    DISCOVERY,
    described({
      id: "discoverIssuer",
      tag,
      summary: "The issuer of the identities of runs, as OpenID Connect Discovery has it",
      description: "404 while the service has no public address.",
      caller: "anyone",
      answer: Discovery,
      problems: [404],
    }),
    (c) => {
      if (issuer === null) throw new NotFoundError();
      return c.json(discoveryOf(issuer.url), 200, CACHED);
    },
  );
  app.get(
    JWKS,
    described({
      id: "listSigningKeys",
      tag,
      summary: "The keys by which identities of runs are verified",
      caller: "anyone",
      answer: KeySet,
      problems: [404],
    }),
    async (c) => {
      const set = await published.forceFetch("keys");
      if (set.keys.length > 0) return c.json(set, 200, CACHED);
      // The first key may be there in the next moment.
      published.delete("keys");
      return c.json(set, 200, { "cache-control": "no-store" });
    },
  );
}

function discoveryOf(url: string): v.InferOutput<typeof Discovery> {
  return {
    issuer: url,
    jwks_uri: `${url}${JWKS}`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [ALGORITHM],
    scopes_supported: ["openid"],
    claims_supported: CLAIMS,
  };
}
