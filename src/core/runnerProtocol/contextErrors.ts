/** Why a run's context cannot be made. */
import { DecryptionError } from "../../platform/crypto/wrapping.ts";
import { ProblemError } from "../../platform/problems/problem.ts";

/** The sources took longer than the lease allows; nothing was accepted and the lease goes on. */
export class ContextLateError extends ProblemError {
  constructor(cause: unknown) {
    const detail = "The run's credentials could not be obtained in time.";
    super({ status: 503, code: "credentials_unavailable", detail, retryAfterSeconds: 5, cause });
  }
}

/** Another runner may execute the run; this one's lease lapses. */
export class RunnerTooOldError extends ProblemError {
  constructor(version: string, why = "The plan was sealed together with its files, on which it is to be applied") {
    const detail = `${why}: that takes a runner of version ${version} or newer.`;
    super({ status: 409, code: "runner_too_old", detail });
  }
}

/**
 * A source has refused for good: another runner would hear the same, so the run ends at once. The message is public and
 * becomes the run's error.
 */
export class ContextRefusedError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = new.target.name;
  }
}

/** What was stored for just this run and does not open: no later accept would get it. @throws ContextRefusedError */
export async function orRefused<T>(opening: Promise<T>, why: string): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    throw error instanceof DecryptionError ? new ContextRefusedError(why, error) : error;
  }
}
