import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import type { Service } from "../../work/service.ts";
import { requireSession } from "../authorization/requireSession.ts";
import type { BrowserOrigin } from "../sessions/browserOrigin.ts";
import { writeCookie } from "../sessions/cookies.ts";
import { IDENTITY_LIST, IdentityPage, listIdentities, unlinkIdentity } from "./ownIdentities.ts";
import type { Providers } from "./providers.ts";

type IdentityRoutesDeps = { service: Service; origin: BrowserOrigin | null; providers: Providers };

const IDENTITIES = "/api/v1/me/identities";
const tag = "sign-in";

/** A person's own identities; another one is added by `startLinking`. */
export function identityRoutes(app: Hono<AppEnv>, { service, origin, providers }: IdentityRoutesDeps): void {
  const platform = () => (origin === null ? [] : providers.platform);
  endpoint(
    app,
    "get",
    IDENTITIES,
    {
      id: "listIdentities",
      tag,
      summary: "List what you can sign in with",
      query: v.strictObject(listFields(Object.keys(IDENTITY_LIST.fields))),
      answer: IdentityPage,
      problems: [403],
    },
    async ({ principal, query }) => listIdentities(service.db, principal, platform(), query()),
  );
  endpoint(
    app,
    "delete",
    `${IDENTITIES}/:identity_id`,
    {
      id: "unlinkIdentity",
      tag,
      summary: "Unlink one of your identities",
      description:
        "By session only. Ends the sessions that were begun with it, and the groups and memberships that came through it. The last one that you can sign in with stays.",
      problems: [403, 404, 409],
    },
    async ({ principal, params, c }) => {
      const { signedOut } = await unlinkIdentity(service, requireSession(principal), platform(), params.identity_id);
      if (signedOut && origin !== null) writeCookie(c, origin, "session", "", 0);
    },
  );
}
