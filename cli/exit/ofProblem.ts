/** What a refusal of the service ends the program with. Pure. */
import type { ApiError } from "../../clients/api/problem.ts";
import { EXIT, type ExitCode } from "./exitCodes.ts";
import { Failure, usage } from "./failure.ts";

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

/** @param env says whose token was refused: a variable's, or a profile's */
export function failureOf(error: ApiError, env: NodeJS.ProcessEnv): Failure {
  const fields = error.fields.map(({ field, message, allowed }) => {
    const among = allowed === undefined ? "" : ` (${allowed.join(", ")})`;
    return `\n  ${field}: ${message}${among}`;
  });
  const request = error.requestId === undefined ? "" : `\n  request ${error.requestId}`;
  const message = `${error.message}${fields.join("")}${request}`;
  const code = exitOf(error);
  return code === EXIT.usage ? usage(message) : Failure.of(code, message, nextStep(code, error, env));
}

function nextStep(code: ExitCode, { status, requestId, retryAfterSeconds }: ApiError, env: NodeJS.ProcessEnv): string {
  switch (code) {
    case EXIT.notSignedIn:
      return env.DEPLOY_TOKEN
        ? "The token in DEPLOY_TOKEN is not taken: it is mistyped, deleted or too old. Set another one"
        : "Run: deploy login";
    case EXIT.notFound:
      return "deploy whoami says who you are and in which organization, deploy stacks what you may see there";
    case EXIT.conflict:
      return "Something happened meanwhile. See how it stands, by deploy queue or deploy watch, and decide anew";
    case EXIT.refused:
      return "Its page says what is missing: deploy open";
  }
  if (status === 429) return `Wait ${retryAfterSeconds ?? "a few"} seconds, then do it once more`;
  const name = requestId === undefined ? "what is said here" : "the number of the request";
  return `Do it once more; if that does not help, give whoever runs the service ${name}`;
}
