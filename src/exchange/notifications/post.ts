/**
 * One notification as one HTTP request: its headers, its signature, and how it went
 * (docs/notifications.md#the-request).
 */
import { createHmac } from "node:crypto";
import { signingKey } from "../../platform/crypto/signingKey.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import { EgressTimeoutError } from "../../platform/egress/errors.ts";
import type { HttpAuth } from "./httpAuth.ts";
import { noAnswer } from "./noAnswer.ts";

export type Post = {
  /** The same on every attempt, so that a receiver knows what it has seen. */
  deliveryId: string;
  eventType: string;
  body: string;
  /** Of this attempt, in seconds since 1970. */
  timestamp: number;
};

export type PostResult =
  | { kind: "answered"; status: number; retryAfter: string | null }
  | { kind: "timeout" | "unreachable" | "certificate" };

/** Longest time a target may take, name resolution to last byte. */
const POST_TIMEOUT_MS = 10_000;

/** Send it. Never throws: every way to fail is a result. */
export async function post(
  egress: Pick<Egress, "request">,
  auth: HttpAuth,
  notification: Post,
  timeoutMs = POST_TIMEOUT_MS,
): Promise<PostResult> {
  try {
    const { status, headers } = await egress.request({
      url: auth.url,
      method: "POST",
      headers: headersOf(auth, notification),
      body: notification.body,
      timeoutMs,
      ignoreBody: true,
    });
    return { kind: "answered", status, retryAfter: headers["retry-after"] ?? null };
  } catch (error) {
    return { kind: error instanceof EgressTimeoutError ? "timeout" : noAnswer(error) };
  }
}

/** Ours come last and in lower case; a configured name that would be one of them was refused when it was written. */
export function headersOf({ secret, headers = {} }: HttpAuth, notification: Post): Record<string, string> {
  const configured = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    ...Object.fromEntries(configured),
    "content-type": "application/json",
    "user-agent": "Svc-Notifications",
    "x-svc-event": notification.eventType,
    "x-svc-delivery": notification.deliveryId,
    "x-svc-timestamp": String(notification.timestamp),
    ...(secret !== undefined && {
      "x-svc-signature-256": signatureOf(secret, notification.body),
      ...standardSignature(secret, notification),
    }),
  };
}

/**
 * The same secret by Standard Webhooks 1.0, which covers id and time of the attempt too, so that a recorded request is
 * of no use for long. A secret in its own form, `whsec_` and base64, is the bytes that it stands for; one from a time
 * when they were not looked at may stand for none, and signs nothing.
 */
function standardSignature(secret: string, { deliveryId, timestamp, body }: Post): Record<string, string> {
  const key = signingKey(secret) ?? (secret.startsWith("whsec_") ? null : secret);
  if (key === null) return {};
  const signature = createHmac("sha256", key).update(`${deliveryId}.${timestamp}.${body}`, "utf8").digest("base64");
  return {
    "webhook-id": deliveryId,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${signature}`,
  };
}

function signatureOf(secret: string, body: string): string {
  return `sha256=${createHmac("sha256", secret).update(body, "utf8").digest("hex")}`;
}
