import { EXIT, type ExitCode } from "./exitCodes.ts";

/** Ends the program with a sentence for its person and a code for scripts. */
export class Failure extends Error {
  readonly code: ExitCode;
  /** What to do about it. */
  readonly hint: string | undefined;

  constructor(code: ExitCode, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

export function usage(message: string, hint?: string): Failure {
  return new Failure(EXIT.usage, message, hint);
}
