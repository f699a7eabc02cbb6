import type { Hono } from "hono";
import { type AppEnv, endpoint } from "../http/endpoint.ts";
import type { Service } from "../service.ts";
import type { BrowserOrigin } from "./browserOrigin.ts";
import { writeCookie } from "./cookies.ts";
import { requireSession } from "./requireSession.ts";
import { endSession } from "./sessions.ts";

/** Signing out. It is a POST, so that no link or picture of another site can do it. */
export function sessionRoutes(app: Hono<AppEnv>, { db }: Pick<Service, "db">, origin: BrowserOrigin | null): void {
  endpoint(
    app,
    "post",
    "/api/v1/auth/logout",
    { id: "signOut", tag: "sign-in", summary: "End this session", problems: [403] },
    async ({ principal, c }) => {
      const { sessionId } = requireSession(principal);
      await endSession(db, sessionId);
      if (origin !== null) writeCookie(c, origin, "session", "", 0);
    },
  );
}
