/** Why nothing, or nothing that makes sense, came back from the service, and what helps. Pure. */
import { EXIT } from "../exit/exitCodes.ts";
import { Failure } from "../exit/failure.ts";

/** Whether the network is at fault, or the time that an answer may take. */
export function isUnreachable(error: unknown): boolean {
  const { name } = error as { name?: string };
  return name === "TimeoutError" || (error instanceof TypeError && /fetch failed|terminated/.test(error.message));
}

/** Not to be mended by asking again. */
export function isHopeless(error: unknown): boolean {
  const { code, message } = causeOf(error);
  return message === BAD_PORT || UNTRUSTED.test(code ?? "");
}

/** What lies below `fetch failed`. */
export function causeOf(error: unknown): { code: string | undefined; message: string } {
  let inner = error as { code?: string; name?: string; message?: string; cause?: unknown; errors?: unknown[] };
  while (inner.cause !== undefined || inner.errors?.[0] !== undefined) {
    inner = (inner.cause ?? inner.errors?.[0]) as typeof inner;
  }
  if (inner.name === "TimeoutError") return { code: inner.name, message: "it does not answer" };
  const code = typeof inner.code === "string" ? inner.code : undefined;
  return { code, message: inner.message || code || String(error) };
}

/** Of `fetch`, for ports that belong to other protocols. */
const BAD_PORT = "bad port";
const UNTRUSTED = /CERT|ERR_TLS|ERR_SSL|EPROTO/;

export function unreachable(error: unknown): Failure {
  const { code = "", message } = causeOf(error);
  const hint = message === BAD_PORT ? "No service of the web has this port. Is the address right?" : hintOf(code);
  return Failure.of(EXIT.failed, `The service cannot be reached: ${message}`, hint);
}

function hintOf(code: string): string {
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return "Is this machine connected, and the address right? deploy profile list shows it, DEPLOY_HOST wins over it";
  }
  if (code === "ECONNREFUSED") {
    return "Nothing listens there. Is the address right (deploy profile list, DEPLOY_HOST), and does the service run?";
  }
  if (/ERR_SSL|EPROTO/.test(code)) return "It does not speak HTTPS there. Is the port right?";
  if (UNTRUSTED.test(code)) {
    return "Its certificate is not trusted here: NODE_EXTRA_CA_CERTS=FILE names an authority of your own";
  }
  return "Do it once more when the connection is better; deploy ls shows what was begun";
}

/** @param location where it sends those who ask; a token does not follow it there */
export function moved(host: string, location: string): Failure {
  const origin = URL.parse(location, host)?.origin;
  const there = origin === undefined || origin === new URL(host).origin ? "" : `: --host ${origin}, or DEPLOY_HOST`;
  return Failure.of(
    EXIT.failed,
    `${host} sends elsewhere: ${location}`,
    `Use the address that the service has${there}`,
  );
}

export function notTheService(host: string): Failure {
  return Failure.of(
    EXIT.failed,
    `${host} answers, but not as this service does.`,
    "Is the address right, and does a proxy or a sign-in page answer in its place? deploy profile list, DEPLOY_HOST",
  );
}
