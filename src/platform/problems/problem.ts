/**
 * RFC 9457 problem details: the one error shape of the API, and the one place where an error becomes an answer
 * (docs/rules/api.md#problems).
 */
import { STATUS_CODES } from "node:http";
import { HTTPException } from "hono/http-exception";
import { isDatabaseOutage } from "./databaseOutage.ts";

/** Machine codes an answer may carry. Closed: a client may switch over it, so a new failure adds its code here. */
export const PROBLEM_CODES = [
  "malformed_request",
  "not_authenticated",
  "session_required",
  "csrf_refused",
  "sign_in_refused",
  "fresh_sign_in_required",
  "authorization_pending",
  "slow_down",
  "expired_token",
  "access_denied",
  "invalid_grant",
  "forbidden",
  "not_found",
  "method_not_allowed",
  "conflict",
  "invalid_transition",
  "plan_changed",
  "policy_pending",
  "policy_denied",
  "approvals_missing",
  "own_change",
  "already_triggered",
  "trigger_never",
  "requirements_not_met",
  "preview_not_finished",
  "base_diverged",
  "base_unknown",
  "commit_not_on_branch",
  "run_already_terminal",
  "accept_response_undeliverable",
  "plan_artifact_missing",
  "artifact_damaged",
  "runner_too_old",
  "state_locked",
  "state_not_locked",
  "state_lineage_differs",
  "state_serial_stale",
  "state_has_resources",
  "state_elsewhere",
  "state_in_use",
  "idempotency_key_reused",
  "payload_too_large",
  "headers_too_large",
  "unsupported_media_type",
  "invalid_value",
  "rate_limited",
  "seat_limit",
  "quota_reached",
  "orchestrator_unavailable",
  "credentials_unavailable",
  "unsupported_runtime_provider",
  "runtime_credentials_unavailable",
  "key_service_unavailable",
  "decryption_failed",
  "database_unavailable",
  "repository_unreachable",
  "storage_unavailable",
  "upstream_unavailable",
  "internal",
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/**
 * One refused field of a request: its path (`targets.0`), what is wrong, and the allowed values when they are a list.
 */
export interface FieldProblem {
  field: string;
  message: string;
  allowed?: readonly string[];
}

export interface ProblemInit {
  status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 422 | 429 | 500 | 501 | 502 | 503 | 504;
  /** Left out only where the runner protocol wants none (docs/rules/runner-protocol.md#refusals-of-accept). */
  code?: ProblemCode;
  /** Public text: never a secret, a parameter of a query, or anything the caller may not read. */
  detail: string;
  errors?: readonly FieldProblem[];
  retryAfterSeconds?: number;
  /** Of a 405: the methods that there are. */
  allow?: readonly string[];
  /** For our own log only. */
  cause?: unknown;
}

/** Base of every failure that has an answer of its own. Subclass it once per failure; everything else becomes a 500. */
export class ProblemError extends Error {
  readonly status: ProblemInit["status"];
  readonly code: ProblemCode | undefined;
  readonly detail: string;
  readonly errors: readonly FieldProblem[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly allow: readonly string[] | undefined;

  constructor(init: ProblemInit) {
    super(init.detail, { cause: init.cause });
    this.name = new.target.name;
    this.status = init.status;
    this.code = init.code;
    this.detail = init.detail;
    this.errors = init.errors;
    this.retryAfterSeconds = init.retryAfterSeconds;
    this.allow = init.allow;
  }
}

/**
 * Missing, not a member, no permission: one answer with equal bytes, so that nobody learns what exists
 * (docs/rules/permissions.md#the-uniform-404).
 */
export class NotFoundError extends ProblemError {
  constructor() {
    super({ status: 404, code: "not_found", detail: "There is no such resource, or you may not see it." });
  }
}

class DatabaseUnavailableError extends ProblemError {
  constructor(cause: unknown) {
    const detail = "The database cannot be reached; nothing is lost by trying again.";
    super({ status: 503, code: "database_unavailable", detail, retryAfterSeconds: 5, cause });
  }
}

const CODE_OF_STATUS: Partial<Record<number, ProblemCode>> = {
  400: "malformed_request",
  401: "not_authenticated",
  403: "forbidden",
  409: "conflict",
  413: "payload_too_large",
  415: "unsupported_media_type",
  422: "invalid_value",
  429: "rate_limited",
};

/** The problem an error stands for, or null for one that nobody foresaw: a bug, to be logged and answered with 500. */
export function toProblem(error: unknown): ProblemError | null {
  if (error instanceof ProblemError) return error;
  if (error instanceof HTTPException && error.status < 500) return ofFramework(error);
  if (isDatabaseOutage(error)) return new DatabaseUnavailableError(error);
  return null;
}

/** What the framework's own middleware throws. Its message is not ours to vouch for, so only the status is kept. */
function ofFramework(error: HTTPException): ProblemError {
  if (error.status === 404) return new NotFoundError();
  const status = (error.status in CODE_OF_STATUS ? error.status : 400) as ProblemInit["status"];
  const code = CODE_OF_STATUS[status] ?? "malformed_request";
  return new ProblemError({ status, code, detail: STATUS_CODES[status] ?? "The request was refused.", cause: error });
}

/** The answer for any error. The request id is a header; only a 500 has it in the body too, and nothing else. */
export function problemResponse(error: unknown, requestId: string): Response {
  const problem = toProblem(error);
  const status = problem?.status ?? 500;
  const headers: Record<string, string> = {
    "content-type": "application/problem+json",
    "cache-control": "no-store",
    "x-request-id": requestId,
  };
  if (status === 401) headers["www-authenticate"] = "Bearer";
  if (problem?.retryAfterSeconds !== undefined) headers["retry-after"] = String(problem.retryAfterSeconds);
  if (problem?.allow !== undefined) headers.allow = problem.allow.join(", ");
  const body = {
    type: "about:blank",
    title: STATUS_CODES[status],
    status,
    ...(problem === null
      ? { code: "internal" satisfies ProblemCode, request_id: requestId }
      : { detail: problem.detail, code: problem.code, errors: problem.errors }),
  };
  return new Response(JSON.stringify(body), { status, headers });
}
