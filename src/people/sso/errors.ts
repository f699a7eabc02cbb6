/** Why a sign-in did not come about. No text repeats what a provider or a browser sent. */
import { OperationProcessingError } from "oauth4webapi";
import {
  EgressAnswerError,
  EgressRefusedError,
  EgressTimeoutError,
  EgressUnreachableError,
} from "../../platform/egress/errors.ts";
import { ProblemError } from "../../platform/problems/problem.ts";

/** Nobody was signed in and nothing was linked. */
export class SignInRefusedError extends ProblemError {
  constructor(detail: string, cause?: unknown) {
    super({ status: 403, code: "sign_in_refused", detail, cause });
  }
}

/** The provider could not be asked, or gave an answer that no such provider gives. */
export class ProviderUnavailableError extends ProblemError {
  constructor(cause: unknown) {
    const detail = "The identity provider could not be reached or gave no usable answer. Try again.";
    super({ status: 502, code: "upstream_unavailable", detail, cause });
  }
}

/** An issuer's own description of itself could not be had, or contradicts what was asked for. */
export class DiscoveryError extends Error {
  override name = "DiscoveryError";
  /** Public text: why, without anything the other side sent. */
  readonly reason: string;
  constructor(reason: string, cause?: unknown) {
    super(`discovery failed: ${reason}`, { cause });
    this.reason = reason;
  }
}

export function isEgressError(error: unknown): boolean {
  return (
    error instanceof EgressRefusedError ||
    error instanceof EgressTimeoutError ||
    error instanceof EgressUnreachableError ||
    error instanceof EgressAnswerError
  );
}

/**
 * The protocol library's and the network's failures, as ours, once. What the library refuses (a wrong issuer, audience,
 * nonce, signature, a code the provider does not know) is a refusal; what never arrived is an outage.
 */
export function translated(error: unknown): unknown {
  if (error instanceof ProblemError && !isEgressError(error)) return error;
  if (isEgressError(error) || error instanceof DiscoveryError) return new ProviderUnavailableError(error);
  if (isProtocolError(error)) {
    return new SignInRefusedError("The identity provider's answer was not accepted. Sign in again.", error);
  }
  return error;
}

function isProtocolError(error: unknown): boolean {
  if (error instanceof OperationProcessingError) return true;
  // A key that its own format does not allow.
  if (error instanceof DOMException) return true;
  // ResponseBodyError, AuthorizationResponseError, WWWAuthenticateChallengeError, UnsupportedOperationError.
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && code.startsWith("OAUTH_");
}
