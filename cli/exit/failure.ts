import { EXIT, type ExitCode } from "./exitCodes.ts";

/** Ends the program with a sentence for its person, what to do next, and a code for scripts. */
export class Failure extends Error {
  readonly code: ExitCode;
  /** What to do about it; null where the help of the command says it. */
  readonly hint: string | null;

  private constructor(code: ExitCode, message: string, hint: string | null) {
    super(message);
    this.code = code;
    this.hint = hint;
  }

  /** Whatever ends the program says what to do next. */
  static of(code: Exclude<ExitCode, typeof EXIT.usage>, message: string, hint: string): Failure {
    return new Failure(code, message, hint);
  }

  static ofUse(message: string, hint: string | null): Failure {
    return new Failure(EXIT.usage, message, hint);
  }
}

/** Called wrongly. Where the sentence itself does not say what is right, the help of the command follows it. */
export function usage(message: string, hint: string | null = null): Failure {
  return Failure.ofUse(message, hint);
}
