/**
 * The two cookies of a browser: its session, and the one that ties a sign-in under way to the browser that began it.
 */
import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { BrowserOrigin } from "./browserOrigin.ts";

/** The `__Host-` prefix keeps other hosts of the domain from planting one (docs/rules/credentials.md#sessions). */
const NAMES = { session: "svc_session", signIn: "svc_sign_in" } as const;
export type CookieKind = keyof typeof NAMES;

/** 32 random bytes in base64url. */
const VALUE = /^[A-Za-z0-9_-]{43}$/;

/** The cookie's value, or null when there is none or it is none of ours. */
export function readCookie(c: Context, { secure }: BrowserOrigin, kind: CookieKind): string | null {
  const value = secure ? getCookie(c, NAMES[kind], "host") : getCookie(c, NAMES[kind]);
  return value !== undefined && VALUE.test(value) ? value : null;
}

/** `maxAge` in seconds; 0 removes the cookie. */
export function writeCookie(
  c: Context,
  { secure }: BrowserOrigin,
  kind: CookieKind,
  value: string,
  maxAge: number,
): void {
  const attributes = { httpOnly: true, sameSite: "Lax", path: "/", maxAge } as const;
  setCookie(c, NAMES[kind], value, secure ? { ...attributes, secure, prefix: "host" } : attributes);
}
