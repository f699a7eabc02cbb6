/**
 * Who calls a people's route (docs/rules/credentials.md#one-scheme-for-each-kind). One scheme per kind of credential;
 * each costs one statement at most.
 */
import type { Context, MiddlewareHandler } from "hono";
import { ProblemError } from "../platform/problems/problem.ts";
import type { Principal } from "./principal.ts";

/**
 * No credential, or one that is malformed, unknown, expired, disabled or meant for another kind of route: one answer
 * for all.
 */
export class NotAuthenticatedError extends ProblemError {
  constructor() {
    super({ status: 401, code: "not_authenticated", detail: "Sign in, or send a valid token as a bearer token." });
  }
}

/**
 * One kind of credential. Null: the request carries none of this kind.
 * @throws NotAuthenticatedError when it carries one that is not valid
 */
export type CredentialScheme = (c: Context) => Promise<Principal | null>;

export type Authenticate = (c: Context) => Promise<Principal>;

/** The first scheme that finds its credential decides; a request without any is not authenticated. */
export function authenticateBy(schemes: readonly CredentialScheme[]): Authenticate {
  return async (c) => {
    for (const scheme of schemes) {
      const principal = await scheme(c);
      if (principal !== null) return principal;
    }
    throw new NotAuthenticatedError();
  };
}

const AS_PASSWORD = "tokenAsPassword";

/**
 * Before a route that an engine's backend calls, which can send a token as the password of basic authentication alone.
 * The name beside it says nothing.
 */
export function tokenAsPassword(): MiddlewareHandler {
  return async (c, next) => {
    const password = basicPassword(c);
    if (password !== null) c.set(AS_PASSWORD, password);
    await next();
  };
}

/** The password of basic authentication, or null. */
export function basicPassword(c: Context): string | null {
  const encoded = /^Basic +([A-Za-z0-9+/=]{1,8192})$/i.exec(c.req.header("authorization") ?? "")?.[1];
  if (encoded === undefined) return null;
  const login = Buffer.from(encoded, "base64").toString("utf8");
  const colon = login.indexOf(":");
  return colon === -1 ? null : login.slice(colon + 1);
}

/** The bearer token of a request, or null. */
export function bearerToken(c: Context): string | null {
  const password: unknown = c.get(AS_PASSWORD);
  if (typeof password === "string") return password;
  const match = /^Bearer +(\S{1,4096})$/i.exec(c.req.header("authorization") ?? "");
  return match?.[1] ?? null;
}
