/**
 * Calls that outlive a short outage. What was not sent, or may be sent twice, is sent again; the same
 * `Idempotency-Key` makes it one.
 */
import { setTimeout as pause } from "node:timers/promises";
import { Failure } from "../exit/failure.ts";
import { causeOf, isHopeless, isUnreachable } from "./unreachable.ts";

const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** A network that lost its way keeps a connection open for ever; no answer of the service takes this long. */
const LONGEST_ANSWER_MS = 30_000;
/** Never reached the service. */
const NOT_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);
/** Routes that take the key, or the id of a lock: of others nobody knows whether a lost one was carried out. */
const KEYED = /\/deployments(?:$|\/)|\/state\/lock$/;

export type Fetch = (request: Request) => Promise<Response>;

/** @param onTrouble is told why it takes longer, and with null at each answer */
export function persistentFetch(send: Fetch, onTrouble: (why: string | null) => void = () => {}): Fetch {
  return async (request) => {
    for (let attempt = 1; ; attempt++) {
      const last = attempt === ATTEMPTS || request.signal.aborted;
      try {
        const response = await answeredInTime(send, last ? request : request.clone());
        const passing = isPassing(request, response.status);
        if (!passing) onTrouble(null);
        if (last || !passing) return response;
        onTrouble(`The service answers ${response.status}; it is asked again.`);
        await response.body?.cancel();
        await pause(pauseOf(attempt, response.headers.get("retry-after")), undefined, { signal: request.signal });
      } catch (error) {
        if (last || !maySendAgain(request, error)) throw error;
        onTrouble(`The service cannot be reached (${causeOf(error).message}); it is asked again.`);
        await pause(pauseOf(attempt, null), undefined, { signal: request.signal });
      }
    }
  };
}

/** The beginning of the answer, that is: what is large may take as long as it needs. */
export async function answeredInTime(send: Fetch, request: Request): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException("", "TimeoutError")), LONGEST_ANSWER_MS);
  try {
    return await send(new Request(request, { signal: AbortSignal.any([request.signal, late.signal]) }));
  } finally {
    clearTimeout(timer);
  }
}

function isPassing({ method }: Request, status: number): boolean {
  return status === 429 || (method === "GET" && (status === 502 || status === 503 || status === 504));
}

function maySendAgain({ method, url, signal }: Request, error: unknown): boolean {
  if (signal.aborted || error instanceof Failure || !isUnreachable(error) || isHopeless(error)) return false;
  const { code } = causeOf(error);
  return method === "GET" || (code !== undefined && NOT_SENT.has(code)) || KEYED.test(new URL(url).pathname);
}

function pauseOf(attempt: number, retryAfter: string | null): number {
  const asked = Number(retryAfter);
  if (retryAfter !== null && Number.isFinite(asked)) return Math.min(asked * 1_000, 30_000);
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2);
}
