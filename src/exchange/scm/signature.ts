/** What proves that a delivery comes from its host. Everything is compared in constant time. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Whether `header` (`sha256=<hex>`) is the signature of `body`. Without a secret nothing is ever signed. */
export function isSigned(body: Buffer, header: string | undefined, secret: string | undefined): boolean {
  return isHexSigned(body, /^sha256=([0-9a-f]{64})$/i.exec(header ?? "")?.[1], secret);
}

/** The same of a header that holds the digits alone. */
export function isHexSigned(body: Buffer, hex: string | undefined, secret: string | undefined): boolean {
  if (hex === undefined || !/^[0-9a-f]{64}$/i.test(hex) || secret === undefined || secret === "") return false;
  return timingSafeEqual(Buffer.from(hex, "hex"), createHmac("sha256", secret).update(body).digest());
}

/** Whether the header is the secret itself. It says nothing of the body. */
export function isToken(header: string | undefined, secret: string | undefined): boolean {
  if (header === undefined || secret === undefined || secret === "") return false;
  return timingSafeEqual(digest(header), digest(secret));
}

/** The bytes of a key `whsec_<base64>`; none for whatever else. */
export function keyOf(secret: string | undefined): Buffer {
  return Buffer.from(/^whsec_([A-Za-z0-9+/_-]+={0,2})$/.exec(secret ?? "")?.[1] ?? "", "base64");
}

export type StandardHeaders = {
  id: string | undefined;
  timestamp: string | undefined;
  /** `v1,<base64>`, several of them while a key is being replaced. */
  signatures: string | undefined;
};

/**
 * As Standard Webhooks signs, with a key `whsec_<base64>`. The time is part of what is signed and is not held against
 * the clock: a delivery is a hint that may come late, and sent again it does nothing.
 */
export function isStandardSigned(body: Buffer, headers: StandardHeaders, secret: string | undefined): boolean {
  const { id, timestamp, signatures = "" } = headers;
  const key = keyOf(secret);
  if (key.length === 0 || !id || !/^\d{1,12}$/.test(timestamp ?? "")) return false;
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(" ").some((signature) => {
    const given = Buffer.from(/^v1,([A-Za-z0-9+/]{43}=)$/.exec(signature)?.[1] ?? "", "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
