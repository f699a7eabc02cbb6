import type { Hono } from "hono";
import * as v from "valibot";
import type { AppEnv } from "../../http/endpoint.ts";
import { publicEndpoint } from "../../http/publicEndpoint.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { LOGIN_HANDLE, LOGIN_HANDLE_RULE } from "../orgs/loginHandle.ts";
import { confirmationRoutes } from "./confirmationRoutes.ts";
import { finishSignIn } from "./finishSignIn.ts";
import { linkRoute, reachable, type SsoRoutesDeps, startRoutes } from "./startRoutes.ts";

const PlatformProviders = v.array(
  v.pipe(v.object({ key: v.string(), display_name: v.string() }), v.metadata({ ref: "SignInProvider" })),
);
const OrgProviders = v.array(
  v.pipe(
    v.object({ key: v.string(), source_slug: v.string(), display_name: v.string(), start_path: v.string() }),
    v.metadata({ ref: "OrganizationSignInProvider" }),
  ),
);

const tag = "sign-in";

/** Signing in with a browser. */
export function ssoRoutes(app: Hono<AppEnv>, deps: SsoRoutesDeps): void {
  offers(app, deps);
  startRoutes(app, deps);
  publicEndpoint(
    app,
    "/api/v1/auth/sso/callback",
    {
      id: "finishSignIn",
      tag,
      summary: "Where every provider sends the browser back to",
      redirect: "To where the sign-in was begun, signed in",
      problems: [401, 403, 404, 409, 502, 503],
    },
    deps.limit,
    async ({ c }) => finishSignIn(c, { ...deps, origin: reachable(deps) }),
  );
  linkRoute(app, deps);
  confirmationRoutes(app, deps);
}

function offers(app: Hono<AppEnv>, { providers, limit, origin }: SsoRoutesDeps): void {
  publicEndpoint(
    app,
    "/api/v1/auth/sso/providers",
    { id: "listSignInProviders", tag, summary: "The platform's providers", answer: PlatformProviders },
    limit,
    async () =>
      origin === null ? [] : providers.platform.map(({ key, displayName }) => ({ key, display_name: displayName })),
  );
  publicEndpoint(
    app,
    "/api/v1/auth/sso/orgs/:handle/providers",
    {
      id: "listOrganizationSignInProviders",
      tag,
      summary: "The providers of one organization",
      description: "Empty also when there is no such organization.",
      answer: OrgProviders,
      problems: [422],
    },
    limit,
    async ({ params }) => {
      const handle = params.handle.toLowerCase();
      if (!LOGIN_HANDLE.test(handle)) throw new InvalidValueError([{ field: "handle", message: LOGIN_HANDLE_RULE }]);
      const offered = origin === null ? [] : await providers.offered(handle);
      return offered.map(({ key, sourceSlug, displayName }) => ({
        key,
        source_slug: sourceSlug,
        display_name: displayName,
        start_path:
          key === "oidc"
            ? `/api/v1/auth/sso/orgs/${encodeURIComponent(params.handle)}/sources/${sourceSlug}/start`
            : `/api/v1/auth/sso/${key}/start`,
      }));
    },
  );
}
