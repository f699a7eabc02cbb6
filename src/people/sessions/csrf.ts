/**
 * Proof that a change comes from our own page (docs/rules/credentials.md#changes-by-session-need-proof). It asks only
 * for the method: whatever the content type says, a browser can be made to send it from another site.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import { ProblemError } from "../../platform/problems/problem.ts";
import { tokenHash } from "../credentials/format.ts";

class CsrfError extends ProblemError {
  constructor() {
    const detail = "A change by session needs the X-CSRF-Token that /auth/me shows, and an Origin of this service.";
    super({ status: 403, code: "csrf_refused", detail });
  }
}

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** The token that goes with a session. Derived, so that the database needs to hold only its hash. */
export function csrfToken(sessionToken: string): string {
  return createHmac("sha256", sessionToken).update("csrf").digest("base64url");
}

/** @throws CsrfError unless the method changes nothing, or the request carries our Origin and the session's token */
export function assertNoForgery(c: Context, origin: string, csrfSha256: Uint8Array): void {
  if (SAFE_METHODS.has(c.req.method)) return;
  const sent = tokenHash(c.req.header("x-csrf-token") ?? "");
  if (c.req.header("origin") !== origin || !timingSafeEqual(sent, csrfSha256)) throw new CsrfError();
}
