/** Refusals that any route may give (docs/rules/api.md#problems). A noun's own failures live beside the noun. */
import { type FieldProblem, ProblemError } from "./problem.ts";

/** The request is not what HTTP or JSON allows; nothing in it was looked at. */
export class MalformedRequestError extends ProblemError {
  constructor(detail: string) {
    super({ status: 400, code: "malformed_request", detail });
  }
}

/** Well formed, but fields have values that are not allowed; each is named, none is repeated. */
export class InvalidValueError extends ProblemError {
  constructor(errors: readonly FieldProblem[]) {
    super({ status: 422, code: "invalid_value", detail: "Some values are not allowed.", errors });
  }
}

export class PayloadTooLargeError extends ProblemError {
  /** @param what is too large, where it is not the body as it is sent */
  constructor(maxBytes: number, what = "The body") {
    super({ status: 413, code: "payload_too_large", detail: `${what} may have at most ${maxBytes} bytes.` });
  }
}

export class UnsupportedMediaTypeError extends ProblemError {
  constructor(expected: string) {
    super({ status: 415, code: "unsupported_media_type", detail: `The body must be sent as ${expected}.` });
  }
}
