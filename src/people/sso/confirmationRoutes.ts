/** The page that asks the person, and what it calls. */
import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { publicEndpoint } from "../../http/publicEndpoint.ts";
import { requireSession } from "../authorization/requireSession.ts";
import { writeCookie } from "../sessions/cookies.ts";
import { ABSOLUTE_SECONDS } from "../sessions/sessions.ts";
import { Confirmation, confirmSignIn, showConfirmation } from "./confirm.ts";
import { CONFIRMATION_HTML, CONFIRMATION_POLICY } from "./confirmationPage.ts";
import { takeConfirmation } from "./confirmations.ts";
import { reachable, type SsoRoutesDeps } from "./startRoutes.ts";

const CONFIRMATION = "/api/v1/me/sign-in-confirmations/:confirmation_id";
const tag = "sign-in";

const Confirmed = v.pipe(
  v.object({
    location: v.pipe(v.string(), v.metadata({ description: "Where the sign-in was to end; the browser goes there" })),
  }),
  v.metadata({ ref: "ConfirmedSignIn" }),
);

export function confirmationRoutes(app: Hono<AppEnv>, deps: SsoRoutesDeps): void {
  publicEndpoint(
    app,
    "/api/v1/auth/sso/confirm",
    { id: "showConfirmationPage", tag, summary: "The page that asks before a sign-in counts", raw: "text/html" },
    deps.limit,
    async ({ c }) => {
      c.header("content-security-policy", CONFIRMATION_POLICY);
      return c.html(CONFIRMATION_HTML);
    },
  );
  endpoint(
    app,
    "get",
    CONFIRMATION,
    {
      id: "getSignInConfirmation",
      tag,
      summary: "What a provider answered and waits for your word",
      description: "By session only, and only in the session that it came to. It waits for ten minutes.",
      answer: Confirmation,
      problems: [403, 404],
    },
    async ({ principal, params }) => showConfirmation(deps, requireSession(principal), params.confirmation_id),
  );
  endpoint(
    app,
    "post",
    CONFIRMATION,
    {
      id: "confirmSignIn",
      tag,
      summary: "Link the identity, or sign in as somebody else",
      description: "By session only. Works once.",
      answer: Confirmed,
      problems: [403, 404, 409],
    },
    async ({ principal, params, c }) => {
      const origin = reachable(deps);
      const caller = requireSession(principal);
      const confirmed = await confirmSignIn({ ...deps, origin }, caller, params.confirmation_id, c.var.log);
      const { returnTo, session } = confirmed;
      if (session !== null) writeCookie(c, origin, "session", session, ABSOLUTE_SECONDS);
      return { location: `${origin.baseUrl}${returnTo}` };
    },
  );
  endpoint(
    app,
    "delete",
    CONFIRMATION,
    { id: "declineSignIn", tag, summary: "Change nothing", description: "By session only.", problems: [403, 404] },
    async ({ principal, params }) => {
      const { sessionId } = requireSession(principal);
      await takeConfirmation(deps.db, { id: params.confirmation_id, sessionId });
    },
  );
}
