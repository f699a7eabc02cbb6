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
import type { FinishDeps } from "./finishSignIn.ts";
import { linkTarget, requireFreshSuperAdmin } from "./linkTarget.ts";

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
const LinkBody = v.strictObject({
  ...StartQuery.entries,
  org: v.optional(v.pipe(v.string(), v.maxLength(63), v.metadata({ description: "The organization's login handle" }))),
  source: v.optional(v.pipe(v.string(), v.maxLength(63), v.metadata({ description: "The slug of its source" }))),
});
const LinkStarted = v.pipe(
  v.object({
    authorization_url: v.pipe(v.string(), v.metadata({ description: "Of the provider; the browser goes there" })),
  }),
  v.metadata({ ref: "LinkingStarted" }),
);

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
      const begun = { providerKey: provider.key, sourceId: null, link: null, returnTo };
      return c.redirect(await beginSignIn(c, { ...deps, origin }, provider, begun), 302);
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
      const begun = { providerKey: "oidc", sourceId: source.id, link: null, returnTo } as const;
      return c.redirect(await beginSignIn(c, { ...deps, origin }, source.provider, begun), 302);
    },
  );
}

export function linkRoute(app: Hono<AppEnv>, deps: SsoRoutesDeps): void {
  endpoint(
    app,
    "post",
    "/api/v1/auth/sso/:provider_key/link/start",
    {
      id: "startLinking",
      tag,
      summary: "Add another identity to yourself",
      description:
        "By session only. For an organization's own provider, `oidc` with `org` (its login handle, of an organization that you are in) and `source`. The browser goes to `authorization_url`, and comes back to a page that names issuer and login. Nothing is linked before you agree there. A super-admin has to have signed in within the last ten minutes.",
      body: LinkBody,
      answer: LinkStarted,
      problems: [403, 404, 502, 503],
    },
    async ({ principal, params, body, c }) => {
      const caller = requireSession(principal);
      const origin = reachable(deps);
      const { return_to, org, source } = await body();
      const returnTo = returnPath(return_to);
      await requireFreshSuperAdmin(deps.db, caller);
      const target = await linkTarget(deps, caller, params.provider_key, { org, source });
      const url = await beginSignIn(c, { ...deps, origin }, target.provider, {
        providerKey: target.provider.key,
        sourceId: target.id,
        link: { userId: caller.id, sessionId: caller.sessionId },
        returnTo,
      });
      return { authorization_url: url };
    },
  );
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
