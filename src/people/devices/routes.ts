/** Signing a program in that has no browser, by the device flow of RFC 8628. */
import type { Context, Hono } from "hono";
import * as v from "valibot";
import type { AddressLimit } from "../../http/addressLimit.ts";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { publicEndpoint, publicPost } from "../../http/publicEndpoint.ts";
import type { Db } from "../../platform/db/client.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import { requireSession } from "../authorization/requireSession.ts";
import type { BrowserOrigin } from "../sessions/browserOrigin.ts";
import { BeginDeviceLogin, BegunDeviceLogin, beginDeviceLogin } from "./begin.ts";
import { CollectDeviceToken, CollectedDeviceToken, collectDeviceToken } from "./collect.ts";
import { approveDeviceLogin, DeviceLogin, denyDeviceLogin, showDeviceLogin } from "./decide.ts";
import { InvalidGrantError, SlowDownError } from "./deviceErrors.ts";
import { DEVICE_HTML, DEVICE_POLICY } from "./devicePage.ts";

export type DeviceRoutesDeps = {
  db: Db;
  /** Null while there is no public address that a person could be sent to. */
  origin: BrowserOrigin | null;
  limit: AddressLimit;
  clientAddress: (c: Context) => string;
};

const DEVICE = "/api/v1/auth/device";
const LOGIN = "/api/v1/me/device-logins/:user_code";
const tag = "sign-in";
const OrgBody = v.strictObject({ org_id: v.pipe(v.string(), v.uuid()) });

export function deviceRoutes(app: Hono<AppEnv>, deps: DeviceRoutesDeps): void {
  programRoutes(app, deps);
  const { db, limit } = deps;
  /** Codes are short: whoever tries many of them is let through no faster than anybody at the public routes. */
  const guessed = async <T>(c: Context, answer: Promise<T>) => {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof NotFoundError) await limit(c);
      throw error;
    }
  };
  endpoint(
    app,
    "get",
    LOGIN,
    {
      id: "getDeviceLogin",
      tag,
      summary: "Which program asks for access, and from where",
      description: "By session only. It waits for ten minutes, until somebody answers.",
      answer: DeviceLogin,
      problems: [403, 404, 429],
    },
    async ({ principal, params, c }) => guessed(c, showDeviceLogin(db, principal, params.user_code)),
  );
  endpoint(
    app,
    "post",
    LOGIN,
    {
      id: "approveDeviceLogin",
      tag,
      summary: "Let it act as you in one organization",
      description: "By session only. It gets a personal token of 90 days, named after the program and its machine.",
      body: OrgBody,
      problems: [403, 404],
      status: 204,
    },
    async ({ principal, params, body, c }) => {
      // Before the body: what a token may never do is said whatever it sends.
      requireSession(principal);
      const { org_id } = await body();
      await guessed(c, approveDeviceLogin(db, principal, params.user_code, org_id));
    },
  );
  endpoint(
    app,
    "delete",
    LOGIN,
    { id: "denyDeviceLogin", tag, summary: "Tell it no", description: "By session only.", problems: [403, 404] },
    async ({ principal, params, c }) => guessed(c, denyDeviceLogin(db, principal, params.user_code)),
  );
}

/** What the program calls, and the page that it sends its person to. */
function programRoutes(app: Hono<AppEnv>, { db, origin, limit, clientAddress }: DeviceRoutesDeps): void {
  publicPost(
    app,
    DEVICE,
    {
      id: "beginDeviceLogin",
      tag,
      summary: "Ask for a token that a person is to allow elsewhere",
      description: "RFC 8628 with bodies in JSON. Show the person `verification_uri` and `user_code`, then collect.",
      body: BeginDeviceLogin,
      answer: BegunDeviceLogin,
      problems: [404],
    },
    async ({ body, c }) => {
      await limit(c);
      if (origin === null) throw new NotFoundError();
      return beginDeviceLogin(db, origin, await body(), clientAddress(c));
    },
  );
  publicPost(
    app,
    `${DEVICE}/token`,
    {
      id: "collectDeviceToken",
      tag,
      summary: "Collect the token",
      description:
        "400 `authorization_pending`: ask again after `interval` seconds. `slow_down`: and five seconds later from now on. `access_denied`, `expired_token` and `invalid_grant` are final. The token is handed out once.",
      body: CollectDeviceToken,
      answer: CollectedDeviceToken,
    },
    async ({ body, c }) => {
      const { device_code } = await body();
      try {
        return await collectDeviceToken(db, device_code);
      } catch (error) {
        // Who asks as they should is not counted: several of one address may wait at once.
        if (error instanceof InvalidGrantError || error instanceof SlowDownError) await limit(c);
        throw error;
      }
    },
  );
  publicEndpoint(
    app,
    DEVICE,
    { id: "showDevicePage", tag, summary: "The page on which a person lets a program in", raw: "text/html" },
    limit,
    async ({ c }) => {
      c.header("content-security-policy", DEVICE_POLICY);
      return c.html(DEVICE_HTML);
    },
  );
  // Short enough to type. Relative, since a proxy may serve the whole below a path of its own; the browser keeps what
  // stands behind the `#`.
  app.get("/device", (c) => c.redirect("api/v1/auth/device", 302));
}
