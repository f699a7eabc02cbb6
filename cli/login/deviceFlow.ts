/** The device flow (RFC 8628), as a program without a browser goes through it. */
import { setTimeout as pause } from "node:timers/promises";
import { answerOf } from "../../clients/api/client.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { Failure } from "../exit/failure.ts";
import { checkedClient } from "../service/checkedClient.ts";
import { callCheck } from "../service/missingCall.ts";
import { persistentFetch } from "../service/persistentFetch.ts";
import { sendTo } from "../service/session.ts";

export type Begun = {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
};
export type Collected = { access_token: string; token_id: string; name: string; org_id: string; expires_at: string };

const AGAIN = "Begin again: deploy login";
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code" as const;

export type Names = { client: string; host: string };

function clientOf(host: string) {
  const fetched = persistentFetch(sendTo(host));
  return checkedClient({ baseUrl: host, fetch: fetched }, callCheck(host, fetched));
}

/** @throws ApiError */
export async function beginLogin(host: string, names: Names): Promise<Begun> {
  const body = { client_name: fitting(names.client, 40), host_name: fitting(names.host, 56) };
  return answerOf(clientOf(host).POST("/api/v1/auth/device", { body }));
}

/** Asks until the person has answered. @throws Failure when they declined or did not answer in time */
export async function collectToken(host: string, begun: Begun, signal: AbortSignal): Promise<Collected> {
  const api = clientOf(host);
  const body = { grant_type: GRANT_TYPE, device_code: begun.device_code };
  const until = Date.now() + begun.expires_in * 1_000;
  for (let seconds = begun.interval; ; ) {
    await pause(seconds * 1_000, undefined, { signal });
    try {
      return await answerOf(api.POST("/api/v1/auth/device/token", { body, signal }));
    } catch (error) {
      const next = nextPause(error, seconds);
      if (next === null) throw final(error);
      if (Date.now() > until) throw Failure.of(EXIT.notSignedIn, "Nobody agreed in time.", AGAIN);
      seconds = next;
    }
  }
}

/** How long to wait until the next look, in seconds; null where there is no more to wait for. */
export function nextPause(error: unknown, seconds: number): number | null {
  const { code, status } = error as { code?: string; status?: number };
  if (code === "authorization_pending") return seconds;
  if (code === "slow_down") return seconds + 5;
  // Not an answer to the question: the service, or the network, is busy.
  return status === undefined
    ? error instanceof TypeError
      ? seconds
      : null
    : status >= 500 || status === 429
      ? seconds
      : null;
}

function final(error: unknown): unknown {
  const { code, message } = error as { code?: string; message: string };
  const declined = code === "access_denied" || code === "expired_token" || code === "invalid_grant";
  return declined ? Failure.of(EXIT.notSignedIn, message, AGAIN) : error;
}

/** As the service takes names: nothing unseen, no blanks at the ends, not too long. */
export function fitting(text: string, most: number): string {
  const plain = text
    .replace(/[\p{C}\u2028\u2029]/gu, "")
    .trim()
    .slice(0, most)
    .trim();
  return plain === "" ? "unknown" : plain;
}
