import type { Hono } from "hono";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import type { Service } from "../../work/service.ts";
import { requireSession } from "../authorization/requireSession.ts";
import { UserDetail, UserPage } from "./answer.ts";
import { disableUser, enableUser, forceLogout } from "./endCredentials.ts";
import { getUser, listUsers, UserQuery } from "./users.ts";

const tag = "users";
const problems = [403, 404] as const;

/**
 * What super-admins do with people, everywhere at once (docs/rules/permissions.md#super-admins-act-by-session). By
 * session only: a token is bound to one organization.
 */
export function userRoutes(app: Hono<AppEnv>, service: Service): void {
  endpoint(
    app,
    "get",
    "/api/v1/users",
    {
      id: "listUsers",
      tag,
      summary: "List everybody who has signed in",
      description: "For super-admins, by session.",
      query: UserQuery,
      answer: UserPage,
      problems: [403],
    },
    async ({ principal, query }) => listUsers(service.db, requireSession(principal), query()),
  );
  endpoint(
    app,
    "get",
    "/api/v1/users/:user_id",
    {
      id: "getUser",
      tag,
      summary: "Read a person, with their identities and how many sessions and tokens they hold",
      description: "For super-admins, by session.",
      answer: UserDetail,
      problems,
    },
    async ({ principal, params }) => getUser(service.db, requireSession(principal), params.user_id),
  );
  endpoint(
    app,
    "post",
    "/api/v1/users/:user_id/disable",
    {
      id: "disableUser",
      tag,
      summary: "Disable a person",
      description:
        "Ends their sessions, their personal tokens, every service account token they minted and the invitations they gave.",
      problems,
    },
    async ({ principal, params }) => disableUser(service, requireSession(principal), params.user_id),
  );
  endpoint(
    app,
    "post",
    "/api/v1/users/:user_id/enable",
    { id: "enableUser", tag, summary: "Let a disabled person sign in again", problems },
    async ({ principal, params }) => enableUser(service, requireSession(principal), params.user_id),
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
    async ({ principal, params }) => forceLogout(service, requireSession(principal), params.user_id),
  );
}
