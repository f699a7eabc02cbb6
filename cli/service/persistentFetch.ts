/**
 * Calls that outlive a short outage. What was not sent, or may be sent twice, is sent again; the same
 * `Idempotency-Key` makes it one.
 */
import { setTimeout as pause } from "node:timers/promises";

const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** Never reached the service. */
const NOT_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);
/** Routes that take the key: of others nobody knows whether a lost one was carried out. */
const KEYED = /\/deployments(?:$|\/)/;

export type Fetch = (request: Request) => Promise<Response>;

/** @param onTrouble is told why it takes longer */
export function persistentFetch(send: Fetch, onTrouble: (why: string) => void = () => {}): Fetch {
  return async (request) => {
    for (let attempt = 1; ; attempt++) {
      const last = attempt === ATTEMPTS || request.signal.aborted;
      try {
        const response = await send(last ? request : request.clone());
        if (last || !isPassing(request, response.status)) return response;
        onTrouble(`The service answered ${response.status}; asking again.`);
        await response.body?.cancel();
        await pause(pauseOf(attempt, response.headers.get("retry-after")), undefined, { signal: request.signal });
      } catch (error) {
        if (last || !maySendAgain(request, error)) throw error;
        onTrouble("The service cannot be reached; asking again.");
        await pause(pauseOf(attempt, null), undefined, { signal: request.signal });
      }
    }
  };
}

function isPassing({ method }: Request, status: number): boolean {
  return status === 429 || (method === "GET" && (status === 502 || status === 503 || status === 504));
}

function maySendAgain({ method, url, signal }: Request, error: unknown): boolean {
  if (signal.aborted) return false;
  const { code } = causeOf(error);
  return method === "GET" || (code !== undefined && NOT_SENT.has(code)) || KEYED.test(new URL(url).pathname);
}

/** What lies below `fetch failed`. */
export function causeOf(error: unknown): { code: string | undefined; message: string } {
  let inner = error as { code?: string; message?: string; cause?: unknown; errors?: unknown[] };
  while (inner.cause !== undefined || inner.errors?.[0] !== undefined) {
    inner = (inner.cause ?? inner.errors?.[0]) as typeof inner;
  }
  return { code: inner.code, message: inner.message || inner.code || String(error) };
}

function pauseOf(attempt: number, retryAfter: string | null): number {
  const asked = Number(retryAfter);
  if (retryAfter !== null && Number.isFinite(asked)) return Math.min(asked * 1_000, 30_000);
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2);
}
