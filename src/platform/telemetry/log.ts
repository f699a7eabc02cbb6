import { type DestinationStream, type LevelWithSilent, type Logger, pino } from "pino";
import { loggedError } from "./loggedError.ts";
import { traceFields } from "./traceContext.ts";

export type { Logger };

/** Property names whose value is never written, at the top of a line or one or two levels down. */
const SECRET_NAMES = [
  "authorization",
  "Authorization",
  "cookie",
  "password",
  "secret",
  "client_secret",
  "webhook_secret",
  "token",
  "access_token",
  "admin_token",
  "private_key",
  "privateKey",
  "key",
  "script",
  "environment",
  "runtime_credentials",
  "scm_credentials",
];

/**
 * The process's logger: JSON lines on standard output, or on `destination`. Errors go under `err` and are reduced to
 * what is safe to keep.
 * @param program which of the programs writes, for example `api`
 */
export function createLogger(
  level: LevelWithSilent,
  program: string,
  destination: DestinationStream = pino.destination(1),
): Logger {
  return pino(
    {
      level,
      base: { program, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => loggedError(error) },
      mixin: traceFields,
      redact: { paths: SECRET_NAMES.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: "[redacted]" },
    },
    destination,
  );
}

/**
 * The `deployment-audit` channel: who confirmed, cancelled, skipped or ran a command
 * (docs/rules/transitions.md#the-audit-channel). Always written, whatever the level, because an operator who quiets
 * the log does not mean to lose the audit.
 */
export function auditLogger(logger: Logger): Logger {
  return logger.child({ channel: "deployment-audit" }, { level: "info" });
}
