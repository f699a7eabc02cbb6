/**
 * Why an outbound call failed. No text holds more than a host, for paths and queries of webhook addresses are secrets.
 */
import { ProblemError } from "../problems/problem.ts";

export type EgressRefusal = "malformed" | "scheme" | "credentials" | "port_or_address";

/**
 * Of what may not be called and of what does not answer alike: else organizations could find out by trying which names
 * and ports there are in the operator's network. The operator's log tells them apart.
 */
const UNREACHABLE = {
  status: 502,
  code: "upstream_unavailable",
  detail:
    "The other side could not be reached. If its address is not public, the operator can open it with SVC_EGRESS_ALLOW.",
} as const;

/** What an address says of itself tells nothing of the network. */
const REFUSED: Record<Exclude<EgressRefusal, "port_or_address">, string> = {
  malformed: "The address is malformed.",
  scheme: "The address must start with https:// or http://.",
  credentials: "The address must not contain a user name or password.",
};

/** The call was not made, because it may not be. Which address a name resolved to is not told. */
export class EgressRefusedError extends ProblemError {
  readonly refusal: EgressRefusal;
  constructor(refusal: EgressRefusal) {
    super(
      refusal === "port_or_address" ? UNREACHABLE : { status: 422, code: "invalid_value", detail: REFUSED[refusal] },
    );
    this.refusal = refusal;
  }
}

/** The whole exchange took longer than its cap. Whether the other side acted on it is unknown. */
export class EgressTimeoutError extends ProblemError {
  constructor() {
    super({ status: 504, code: "upstream_unavailable", detail: "The other side did not answer in time." });
  }
}

/** No answer: the name does not resolve, nothing listens, TLS failed, or the connection broke. */
export class EgressUnreachableError extends ProblemError {
  constructor(cause: unknown) {
    super({ ...UNREACHABLE, cause });
  }
}

/** There was an answer, but a body over the cap, or one that could not be decoded. */
export class EgressAnswerError extends ProblemError {
  readonly wrong: "too large" | "undecodable";
  constructor(wrong: "too large" | "undecodable", cause?: unknown) {
    super({ status: 502, code: "upstream_unavailable", detail: `The answer of the other side was ${wrong}.`, cause });
    this.wrong = wrong;
  }
}
