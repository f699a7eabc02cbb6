/** What a program is told that waits for its token, by the names of RFC 8628. */
import { type ProblemCode, ProblemError } from "../../platform/problems/problem.ts";

class DeviceTokenError extends ProblemError {
  constructor(code: ProblemCode, detail: string) {
    super({ status: 400, code, detail });
  }
}

export class AuthorizationPendingError extends DeviceTokenError {
  constructor() {
    super("authorization_pending", "Nobody has answered yet. Ask again.");
  }
}

export class SlowDownError extends DeviceTokenError {
  constructor() {
    super("slow_down", "Ask five seconds less often than before.");
  }
}

export class ExpiredTokenError extends DeviceTokenError {
  constructor() {
    super("expired_token", "Nobody agreed in time. Begin again.");
  }
}

export class AccessDeniedError extends DeviceTokenError {
  constructor() {
    super("access_denied", "The person declined, or may not give access to that organization any more.");
  }
}

/** Unknown, used, or ended with the session that approved it. */
export class InvalidGrantError extends DeviceTokenError {
  constructor() {
    super("invalid_grant", "This device code is of no use. Begin again.");
  }
}
