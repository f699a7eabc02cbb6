import type { Context, Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import type { Service } from "../../work/service.ts";
import { requireSession } from "../authorization/requireSession.ts";
import type { BrowserOrigin } from "./browserOrigin.ts";
import { writeCookie } from "./cookies.ts";
import { endOwnSession, endOwnSessions, listSessions, SESSION_LIST, SessionPage } from "./ownSessions.ts";
import { endSession } from "./sessions.ts";

const SESSIONS = "/api/v1/me/sessions";
const tag = "sign-in";

/** Signing out, here and elsewhere. Never by GET, so that no link or picture of another site can do it. */
export function sessionRoutes(app: Hono<AppEnv>, { db }: Pick<Service, "db">, origin: BrowserOrigin | null): void {
  const forget = (c: Context) => {
    if (origin !== null) writeCookie(c, origin, "session", "", 0);
  };
  endpoint(
    app,
    "post",
    "/api/v1/auth/logout",
    { id: "signOut", tag, summary: "End this session", problems: [403] },
    async ({ principal, c }) => {
      await endSession(db, requireSession(principal).sessionId);
      forget(c);
    },
  );
  endpoint(
    app,
    "get",
    SESSIONS,
    {
      id: "listSessions",
      tag,
      summary: "List where you are signed in",
      query: v.strictObject(listFields(Object.keys(SESSION_LIST.fields))),
      answer: SessionPage,
      problems: [403],
    },
    async ({ principal, query }) => listSessions(db, principal, query()),
  );
  endpoint(
    app,
    "delete",
    SESSIONS,
    {
      id: "endSessions",
      tag,
      summary: "Sign out everywhere",
      description: "By session only. Ends all your sessions, this one too; your tokens go on.",
      problems: [403],
    },
    async ({ principal, c }) => {
      await endOwnSessions(db, requireSession(principal));
      forget(c);
    },
  );
  endpoint(
    app,
    "delete",
    `${SESSIONS}/:session_id`,
    {
      id: "endSession",
      tag,
      summary: "End one of your sessions",
      description: "By session only.",
      problems: [403, 404],
    },
    async ({ principal, params, c }) => {
      const { signedOut } = await endOwnSession(db, requireSession(principal), params.session_id);
      if (signedOut) forget(c);
    },
  );
}
