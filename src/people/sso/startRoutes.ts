/** Where a sign-in begins, and where another identity is added to oneself. */
import type { Hono } from "hono";
import * as v from "valibot";
import type { AddressLimit } from "../../http/addressLimit.ts";
import type { AppEnv } from "../../http/endpoint.ts";
import { endpoint } from "../../http/endpoint.ts";
import { publicEndpoint } from "../../http/publicEndpoint.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { requireSession } from "../authorization/requireSession.ts";
import type { BrowserOrigin } from "../sessions/browserOrigin.ts";
import { beginSignIn, localPath } from "./beginSignIn.ts";
import { SignInRefusedError } from "./errors.ts";
import type { FinishDeps } from "./finishSignIn.ts";
import type { Provider } from "./provider.ts";

export type SsoRoutesDeps = Omit<FinishDeps, "origin"> & {
  /** Null while there is no public address that a provider could send people back to. */
  origin: BrowserOrigin | null;
  limit: AddressLimit;
};

/** Where a sign-in ends that does not say: the page that shows who one is. */
const DEFAULT_RETURN = "/api/v1/auth/me";

const StartQuery = v.strictObject({
  return_to: v.optional(
    v.pipe(v.string(), v.metadata({ pattern: "^/", description: "A path of this service to end at" })),
  ),
});
const LinkQuery = v.strictObject({
  ...StartQuery.entries,
  org: v.optional(v.pipe(v.string(), v.maxLength(63), v.metadata({ description: "The organization's login handle" }))),
  source: v.optional(v.pipe(v.string(), v.maxLength(63), v.metadata({ description: "The slug of its source" }))),
});

const tag = "sign-in";
const redirect = "To the identity provider";
const refusals = [403, 404, 502, 503] as const;

export function startRoutes(app: Hono<AppEnv>, deps: SsoRoutesDeps): void {
  const { providers, limit } = deps;
  publicEndpoint(
    app,
    "/api/v1/auth/sso/:provider_key/start",
    {
      id: "startSignIn",
      tag,
      summary: "Sign in at a provider of the platform",
      query: StartQuery,
      redirect,
      problems: refusals,
    },
    limit,
    async ({ params, query, c }) => {
      const origin = reachable(deps);
      const returnTo = returnPath(query().return_to);
      const provider = found(providers.ofPlatform(params.provider_key));
      return beginSignIn(c, { ...deps, origin }, provider, {
        providerKey: provider.key,
        sourceId: null,
        link: null,
        returnTo,
      });
    },
  );
  publicEndpoint(
    app,
    "/api/v1/auth/sso/orgs/:handle/sources/:slug/start",
    {
      id: "startOrganizationSignIn",
      tag,
      summary: "Sign in at an organization's own provider",
      query: StartQuery,
      redirect,
      problems: refusals,
    },
    limit,
    async ({ params, query, c }) => {
      const origin = reachable(deps);
      const returnTo = returnPath(query().return_to);
      const source = found(await providers.sourceBySlug(params.handle, params.slug));
      return beginSignIn(c, { ...deps, origin }, source.provider, {
        providerKey: "oidc",
        sourceId: source.id,
        link: null,
        returnTo,
      });
    },
  );
}

export function linkRoute(app: Hono<AppEnv>, deps: SsoRoutesDeps): void {
  endpoint(
    app,
    "get",
    "/api/v1/auth/sso/:provider_key/link/start",
    {
      id: "startLinking",
      tag,
      summary: "Add another identity to yourself",
      description:
        "By session only. For an organization's own provider, `oidc` with `org` (its login handle) and `source`.",
      query: LinkQuery,
      redirect,
      problems: [403, 404, 502, 503],
    },
    async ({ principal, params, query, c }) => {
      const { id: userId, sessionId } = requireSession(principal);
      const origin = reachable(deps);
      // A GET that begins a change: no page but ours may start it, nor one of another host of our domain. "none" is
      // typed in.
      if (!["same-origin", "none", undefined].includes(c.req.header("sec-fetch-site"))) {
        throw new SignInRefusedError("Linking must be begun from a page of this service.");
      }
      const { return_to, org, source } = query();
      const target = await linkTarget(deps, params.provider_key, { org, source });
      return beginSignIn(c, { ...deps, origin }, target.provider, {
        providerKey: target.provider.key,
        sourceId: target.id,
        link: { userId, sessionId },
        returnTo: returnPath(return_to),
      });
    },
  );
}

async function linkTarget(
  { providers }: SsoRoutesDeps,
  key: string,
  { org, source }: { org: string | undefined; source: string | undefined },
): Promise<{ id: string | null; provider: Provider }> {
  if (key !== "oidc") return { id: null, provider: found(providers.ofPlatform(key)) };
  return found(await providers.sourceBySlug(org ?? "", source ?? ""));
}

/** Without a public address nobody can be sent back, so there is nothing to begin. @throws NotFoundError */
export function reachable({ origin }: SsoRoutesDeps): BrowserOrigin {
  return found(origin ?? undefined);
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new NotFoundError();
  return value;
}

function returnPath(query: string | undefined): string {
  const path = localPath(query ?? DEFAULT_RETURN);
  if (path === undefined)
    throw new InvalidValueError([{ field: "return_to", message: "must be a path of this service" }]);
  return path;
}
