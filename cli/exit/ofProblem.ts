/** What a refusal of the service ends the program with. Pure. */
import type { ApiError } from "../../clients/api/problem.ts";
import { EXIT, type ExitCode } from "./exitCodes.ts";
import { Failure } from "./failure.ts";

/** Conflicts that a person may not simply try again. */
const POLICY = new Set(["requirements_not_met", "policy_denied", "approvals_missing"]);

export function exitOf({ status, code }: Pick<ApiError, "status" | "code">): ExitCode {
  if (code !== undefined && POLICY.has(code)) return EXIT.refused;
  switch (status) {
    case 401:
      return EXIT.notSignedIn;
    case 403:
    case 404:
      return EXIT.notFound;
    case 409:
      return EXIT.conflict;
    case 400:
    case 413:
    case 415:
    case 422:
      return EXIT.usage;
    default:
      return EXIT.failed;
  }
}

export function failureOf(error: ApiError): Failure {
  const fields = error.fields.map(({ field, message, allowed }) => {
    const among = allowed === undefined ? "" : ` (${allowed.join(", ")})`;
    return `\n  ${field}: ${message}${among}`;
  });
  const request = error.requestId === undefined ? "" : `\n  request ${error.requestId}`;
  const hint = error.status === 401 ? "Run: deploy login" : undefined;
  return new Failure(exitOf(error), `${error.message}${fields.join("")}${request}`, hint);
}
