/**
 * Why a code host could not be asked. The texts are ours from beginning to end: what a host, git or a library says
 * may repeat an address with its token.
 */

export type HostFailure =
  /** Asked too often; `retryAfterMs` says when again. */
  | "rate_limited"
  /** 5xx, no answer in time, no connection. */
  | "unavailable"
  /** The credentials do not work, or not for this. */
  | "refused"
  /** The repository lives elsewhere now. */
  | "moved"
  /** The answer is too large. */
  | "too_large"
  /** There is no such thing, or it is hidden from these credentials. */
  | "not_found"
  /** An answer that makes no sense, such as pages that go round in circles. */
  | "nonsense";

const TEXT: Record<HostFailure, string> = {
  rate_limited: "the code host asks to be left alone for a while",
  unavailable: "the code host could not be reached or did not answer in time",
  refused: "the code host refused the integration's credentials, or they do not allow this",
  moved: "the repository has moved; give the stacks its new address",
  too_large: "the code host's answer was too large",
  not_found: "the code host knows no such repository, branch or commit, or hides it from the integration",
  nonsense: "the code host's answer could not be understood",
};

export class HostError extends Error {
  override name = "HostError";
  readonly failure: HostFailure;
  /** The host's status, or null when there was no answer. */
  readonly status: number | null;
  /** Milliseconds the host asked to be left alone, or null. */
  readonly retryAfterMs: number | null;
  constructor(failure: HostFailure, status: number | null = null, retryAfterMs: number | null = null) {
    super(`${TEXT[failure]}${status === null ? "" : ` (HTTP ${status})`}`);
    this.failure = failure;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof HostError && error.failure === "not_found";
}
