import type { Hono } from "hono";
import { type AppEnv, endpoint } from "../http/endpoint.ts";
import type { Service } from "../service.ts";
import { requireSession } from "../sessions/requireSession.ts";
import { disableUser, enableUser, forceLogout } from "./endCredentials.ts";

const tag = "users";
const problems = [403, 404] as const;

/** What super-admins do with people, everywhere at once (design 6.2). By session only: a token is bound to one organization. */
export function userRoutes(app: Hono<AppEnv>, { db }: Pick<Service, "db">): void {
  endpoint(
    app,
    "post",
    "/api/v1/users/:user_id/disable",
    {
      id: "disableUser",
      tag,
      summary: "Disable a person",
      description: "Ends their sessions, their personal tokens and every service account token they minted.",
      problems,
    },
    async ({ principal, params }) => disableUser(db, requireSession(principal), params.user_id),
  );
  endpoint(
    app,
    "post",
    "/api/v1/users/:user_id/enable",
    { id: "enableUser", tag, summary: "Let a disabled person sign in again", problems },
    async ({ principal, params }) => enableUser(db, requireSession(principal), params.user_id),
  );
  endpoint(
    app,
    "post",
    "/api/v1/users/:user_id/force-logout",
    {
      id: "forceLogout",
      tag,
      summary: "End all that a person holds now",
      description: "The same as disabling, but they may sign in again at once.",
      problems,
    },
    async ({ principal, params }) => forceLogout(db, requireSession(principal), params.user_id),
  );
}
