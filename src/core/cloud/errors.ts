/** Failures around cloud access. Texts name roles, accounts and the cloud's error code, never a credential. */

import { EgressAnswerError } from "../../platform/egress/errors.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { ContextRefusedError } from "../runnerProtocol/contextErrors.ts";

/** A provider type that this installation does not offer, on a write or when a deployment is created. */
export class UnsupportedRuntimeProviderError extends ProblemError {
  constructor(registered: Iterable<string>) {
    const allowed = [...registered];
    super({
      status: 422,
      code: "unsupported_runtime_provider",
      detail: "This installation does not offer that cloud provider.",
      errors: [{ field: "provider_type", message: "is not one of the registered providers", allowed }],
    });
  }
}

/** The stack has an integration whose variables a run's tools could not tell from this one's. */
export class RivalIntegrationError extends ProblemError {
  constructor(type: string, rival: string) {
    const detail = `The stack has ${rival}, which leads the same tools to other credentials than ${type}. Delete it first.`;
    super({ status: 409, code: "conflict", detail });
  }
}

/**
 * The service itself cannot prove to the cloud who it is, so no run could get credentials. Found out before a
 * deployment is made.
 */
export class RuntimeCredentialsUnavailableError extends ProblemError {
  constructor(providerType: string, cause: unknown) {
    const detail = `The service cannot authenticate to ${providerType} at the moment, so a run would get no credentials.`;
    super({ status: 503, code: "runtime_credentials_unavailable", detail, retryAfterSeconds: 10, cause });
  }
}

/** The cloud did not answer, or is too busy; the run stays assigned and a later accept may get its credentials. */
export class CloudUnavailableError extends ProblemError {
  constructor(what: string, cause: unknown) {
    const detail = `${what} ${whatWentWrong(cause)}`;
    super({ status: 503, code: "runtime_credentials_unavailable", detail, retryAfterSeconds: 5, cause });
  }
}

/** An answer that came and is of no use is another thing than none. */
function whatWentWrong(cause: unknown): string {
  for (let error = cause; error instanceof Error; error = error.cause) {
    if (error instanceof EgressAnswerError) return `gave an answer for credentials that is ${error.wrong}.`;
  }
  return "could not be reached for credentials.";
}

/** The cloud said no, and will say it again: the run fails with this text, so that its people see what to mend. */
export class CloudRefusedError extends ContextRefusedError {}
