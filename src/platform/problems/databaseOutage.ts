/** Codes of postgres.js and of sockets that mean "no connection", as opposed to "the query was wrong". */
const CONNECTION_CODES = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

/**
 * SQLSTATEs of a server that is there but cannot serve: stopping, starting or crashed (57P01 to 57P03), out of
 * connections, disk, memory or another resource (class 53), broken connections (class 08), a transaction the server
 * ended because we stalled (25P03), and a standby that was promoted away from under us (25006).
 */
const OUTAGE_SQLSTATE = /^(?:57P0[1-3]|53\w{3}|08\w{3}|25P03|25006)$/;

/** Whether an error, or any error it wraps, says that the database cannot serve now. */
export function isDatabaseOutage(error: unknown): boolean {
  // Query builders wrap the driver's error, sometimes twice; the bound guards against a cause that is its own cause.
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    const { code } = current as { code?: unknown };
    if (typeof code === "string" && (CONNECTION_CODES.has(code) || OUTAGE_SQLSTATE.test(code))) return true;
    current = current.cause;
  }
  return false;
}
