/**
 * What every answer tells a browser. A page of ours sends a policy of its own for its script and style; everything else
 * is for programs, and a browser that shows it as a page must run nothing of it (docs/security.md#headers).
 */
import type { MiddlewareHandler } from "hono";

const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};
/** Two years. Not for hosts below: they may not be ours. */
const STRICT_TRANSPORT = "max-age=63072000";

/** @param publicOrigin where browsers reach the service; strict transport is told where that is https */
export function securityHeaders(publicOrigin: string | undefined): MiddlewareHandler {
  const secure = publicOrigin?.startsWith("https:") === true;
  const headers = { ...HEADERS, ...(secure && { "strict-transport-security": STRICT_TRANSPORT }) };
  return async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(headers)) {
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    }
  };
}
