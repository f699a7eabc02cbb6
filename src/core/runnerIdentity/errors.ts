/** How the runner protocol refuses. */
import { DecryptionError } from "../../platform/crypto/wrapping.ts";
import { type ProblemCode, ProblemError } from "../../platform/problems/problem.ts";

/** Missing, malformed, forged, expired or signed with a key that was rotated away: one answer for all. */
export class NotAuthenticatedError extends ProblemError {
  constructor() {
    super({ status: 401, code: "not_authenticated", detail: "The token is missing or not valid." });
  }
}

/** The token is genuine, but speaks of another runner or run than the request. */
export class ForeignRunError extends ProblemError {
  constructor() {
    super({ status: 403, code: "forbidden", detail: "The token is not for this runner and run." });
  }
}

/** The request does not fit what the run or runner is now; nothing was changed. `why` is public text. */
export class RunnerConflictError extends ProblemError {
  constructor(why: string, code?: ProblemCode) {
    super({ status: 409, detail: why, ...(code === undefined ? {} : { code }) });
  }
}

export class NoArtifactError extends ProblemError {
  constructor() {
    super({ status: 404, code: "not_found", detail: "The run has no such artifact." });
  }
}

/** Asking again would not help, so this is none of the answers that a runner asks again after. */
class DamagedArtifactError extends ProblemError {
  constructor(cause: DecryptionError) {
    const detail = "What is stored cannot be decrypted: it was cut or changed, or its key is not listed any more.";
    super({ status: 409, code: "artifact_damaged", detail, cause });
  }
}

/** @throws DamagedArtifactError for what does not open */
export async function orDamaged<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    throw error instanceof DecryptionError ? new DamagedArtifactError(error) : error;
  }
}
