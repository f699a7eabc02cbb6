import type { Principal } from "../../http/principal.ts";
import { ProblemError } from "../../platform/problems/problem.ts";

class SessionRequiredError extends ProblemError {
  constructor() {
    const detail = "This needs a person who signed in with a browser; a token is not enough.";
    super({ status: 403, code: "session_required", detail });
  }
}

export type SessionHolder = { kind: "user"; id: string; sessionId: string };

/**
 * First statement of what a token may never do (docs/rules/credentials.md#what-only-a-session-may-do).
 * @throws SessionRequiredError
 */
export function requireSession(principal: Principal): SessionHolder {
  if (principal.kind !== "user" || principal.credential.kind !== "session") throw new SessionRequiredError();
  return { kind: "user", id: principal.id, sessionId: principal.credential.sessionId };
}
