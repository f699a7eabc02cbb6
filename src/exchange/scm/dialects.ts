/** How each kind of host delivers: what proves that it is the host, what the delivery is known by, what it means. */
import { createHash } from "node:crypto";
import { normalizeGitea } from "./giteaDelivery.ts";
import { normalizeGitlab } from "./gitlabDelivery.ts";
import type { HostKind } from "./hostKind.ts";
import { type Delivery, normalize } from "./normalize.ts";
import { isHexSigned, isSigned, isStandardSigned, isToken } from "./signature.ts";

/** A header of the delivery by its name in lower case. */
export type HeaderOf = (name: string) => string | undefined;

export type WebhookDialect = {
  /** Whether the raw bytes come from who knows the secret. Without a secret nothing does. */
  isAuthentic(body: Buffer, header: HeaderOf, secret: string | undefined): boolean;
  /**
   * What stays the same when the host sends a delivery again; empty where it has none. Where an id is signed, no other
   * counts: whoever recorded a delivery could send it under any.
   */
  deliveryId(header: HeaderOf, body: Buffer, secret: string | undefined): string;
  normalize(header: HeaderOf, id: string, payload: unknown): Delivery;
};

/** A secret of this form is a key for signatures, as GitLab makes them. */
const SIGNING_KEY = /^whsec_/;

export const DIALECTS: Readonly<Record<HostKind, WebhookDialect>> = {
  github: {
    isAuthentic: (body, header, secret) => isSigned(body, header("x-hub-signature-256"), secret),
    deliveryId: (header) => header("x-github-delivery") ?? "",
    normalize: (header, id, payload) => normalize(header("x-github-event") ?? "", id, payload),
  },
  gitea: {
    isAuthentic: (body, header, secret) =>
      isHexSigned(jsonOf(body, header), header("x-gitea-signature") ?? header("x-forgejo-signature"), secret),
    deliveryId: (header) => header("x-gitea-delivery") ?? header("x-forgejo-delivery") ?? "",
    normalize: (header, id, payload) =>
      normalizeGitea(header("x-gitea-event") ?? header("x-forgejo-event") ?? "", id, payload),
  },
  gitlab: {
    isAuthentic(body, header, secret) {
      if (!SIGNING_KEY.test(secret ?? "")) return isToken(header("x-gitlab-token"), secret);
      const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => header(`webhook-${name}`));
      return isStandardSigned(body, { id, timestamp, signatures }, secret);
    },
    // What one delivery has set off shares the older header with it; the body tells them apart.
    deliveryId: (header, body, secret) =>
      SIGNING_KEY.test(secret ?? "")
        ? (header("webhook-id") ?? "")
        : (header("idempotency-key") ?? header("webhook-id") ?? named(header("x-gitlab-event-uuid"), body)),
    normalize: (_, id, payload) => normalizeGitlab(id, payload),
  },
};

/** Of a form the host signs the JSON in it, and not the form. */
function jsonOf(body: Buffer, header: HeaderOf): Buffer {
  return isForm(header("content-type")) ? Buffer.from(payloadOf(body.toString("utf8"))) : body;
}

/** Hosts send one field. Of a stranger's form not all are looked at, which may be millions. */
const MOST_FIELDS = 20;

/** The JSON in a form; empty where there is none. */
export function payloadOf(form: string): string {
  const field = form.split("&", MOST_FIELDS).find((part) => part.startsWith("payload="));
  return new URLSearchParams(field).get("payload") ?? "";
}

/** Hosts can send a form, with the JSON in a field. */
export function isForm(contentType: string | undefined): boolean {
  return contentType?.toLowerCase().startsWith("application/x-www-form-urlencoded") === true;
}

function named(id: string | undefined, body: Buffer): string {
  if (id === undefined || id === "") return "";
  return `${id}-${createHash("sha256").update(body).digest("hex").slice(0, 16)}`;
}
