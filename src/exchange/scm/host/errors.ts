/**
 * Why a code host could not be asked. The texts are ours from beginning to end: what a host, git or a library says
 * may repeat an address with its token. It is a problem of its own, so that no route can forget to map it.
 */
import { ProblemError, type ProblemInit } from "../../../platform/problems/problem.ts";

export type HostFailure =
  /** Asked too often; `retryAfterMs` says when again. */
  | "rate_limited"
  /** 5xx, no answer in time, no connection, also where there may be none. */
  | "unavailable"
  /** The credentials do not work, or not for this. */
  | "refused"
  /**
   * The app is not installed there, or the credentials may not see the repository: nothing can be said of what is in
   * it.
   */
  | "hidden"
  /** What answers is no host of the integration's kind. */
  | "other_kind"
  /** The repository lives elsewhere now. */
  | "moved"
  /** The answer is too large. */
  | "too_large"
  /** There is no such thing, or it is hidden from these credentials. */
  | "not_found"
  /** In the host's own words: the repository is there and has no such branch. */
  | "no_branch"
  /** The host will never take what was sent, however often. */
  | "unacceptable"
  /** The host answers with less than it has told by a delivery. */
  | "behind"
  /** An answer that makes no sense, such as pages that go round in circles. */
  | "nonsense";

const TEXT: Record<HostFailure, string> = {
  rate_limited: "the code host asks to be left alone for a while",
  unavailable: "the code host could not be reached or did not answer in time",
  refused: "the code host refused the integration's credentials, or they do not allow this",
  hidden: "the code host hides the repository: the app is not installed there, or the credentials may not see it",
  other_kind:
    "what answers there is not the API of this kind of code host: compare the integration's host_kind and api_base_url",
  moved: "the repository has moved; give the stacks its new address",
  too_large: "the code host's answer was too large",
  not_found: "the code host knows no such repository, branch or commit, or hides it from the integration",
  no_branch: "the code host has no such branch",
  unacceptable: "the code host does not accept what was sent to it",
  behind: "the code host's answer is older than what it has delivered",
  nonsense: "the code host's answer could not be understood",
};

/** Where nothing at all came back, whether that is because nothing may go there or not. */
const UNANSWERED = "; if its address is not public, the operator can open it with SVC_EGRESS_ALLOW";

export class HostError extends ProblemError {
  readonly failure: HostFailure;
  /** The host's status, or null when there was no answer. */
  readonly hostStatus: number | null;
  /** Milliseconds the host asked to be left alone, or null. */
  readonly retryAfterMs: number | null;
  /** For people, as a part of a sentence. */
  readonly reason: string;

  /** @param integration the name of the one that was used */
  constructor(
    failure: HostFailure,
    hostStatus: number | null = null,
    retryAfterMs: number | null = null,
    integration: string | null = null,
  ) {
    const status = hostStatus === null ? "" : ` (HTTP ${hostStatus})`;
    const hint = failure === "unavailable" && hostStatus === null ? UNANSWERED : "";
    const reason = `${TEXT[failure]}${hint}${status}${integration === null ? "" : `, asked by the integration ${integration}`}`;
    super(problemOf(reason, retryAfterMs));
    this.failure = failure;
    this.hostStatus = hostStatus;
    this.retryAfterMs = retryAfterMs;
    this.reason = reason;
  }

  /** The same, telling which integration was used. */
  askedBy(integration: string): HostError {
    return new HostError(this.failure, this.hostStatus, this.retryAfterMs, integration);
  }
}

/** 503 where the host says when to come again, else 502. */
function problemOf(reason: string, retryAfterMs: number | null): ProblemInit {
  const detail = `The repository could not be read: ${reason}.`;
  const code = "repository_unreachable";
  if (retryAfterMs === null) return { status: 502, code, detail };
  return { status: 503, code, detail, retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) };
}

export function isNotFound(error: unknown): boolean {
  return error instanceof HostError && error.failure === "not_found";
}

/** Whether other credentials of the same integration may do better. */
export function isRefusal(error: unknown): boolean {
  return error instanceof HostError && error.failure === "refused" && error.hostStatus !== null;
}
