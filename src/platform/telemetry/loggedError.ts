/** What of an error may be written to a log. Database and git errors carry parameters and addresses; those stay out. */
export interface LoggedError {
  type: string;
  code?: string;
  message: string;
  /** Call sites only: the first line of a stack repeats the message. */
  stack?: string;
  cause?: LoggedError;
}

const MAX_MESSAGE_CHARS = 500;
const MAX_CAUSES = 4;

/** SQLSTATE class 22, data exceptions: their message quotes the value that did not fit. */
const QUOTES_A_VALUE = /^22/;

export function loggedError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: "a value that is no error was thrown" };
  const { code } = error as { code?: unknown };
  const logged: LoggedError = { type: error.name || error.constructor.name, message: safeMessage(error) };
  if (typeof code === "string") logged.code = code;
  const frames = error.stack?.split("\n").filter((line) => /^\s+at /.test(line));
  if (frames !== undefined && frames.length > 0) logged.stack = frames.join("\n");
  if (error.cause !== undefined && depth < MAX_CAUSES) logged.cause = loggedError(error.cause, depth + 1);
  return logged;
}

function safeMessage(error: Error): string {
  const { code, query, params, parameters } = error as {
    code?: unknown;
    query?: unknown;
    params?: unknown;
    parameters?: unknown;
  };
  // A query builder's wrapper puts the statement and its parameters into the message; the cause says what went wrong.
  if (query !== undefined && (params !== undefined || parameters !== undefined) && error.cause !== undefined) {
    return "a query failed";
  }
  if (typeof code === "string" && QUOTES_A_VALUE.test(code)) return "a value does not fit its column";
  return error.message.replace(/\b([a-z][a-z0-9+.-]*):\/\/[^\s'"`)]+/gi, "$1://[redacted]").slice(0, MAX_MESSAGE_CHARS);
}
