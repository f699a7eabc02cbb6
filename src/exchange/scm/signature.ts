/** A host signs the raw bytes of each delivery with the integration's webhook secret. */
import { createHmac, timingSafeEqual } from "node:crypto";

/** Whether `header` (`sha256=<hex>`) is the signature of `body`. Without a secret nothing is ever signed. */
export function isSigned(body: Buffer, header: string | undefined, secret: string | undefined): boolean {
  const hex = /^sha256=([0-9a-f]{64})$/i.exec(header ?? "")?.[1];
  if (hex === undefined || secret === undefined || secret === "") return false;
  return timingSafeEqual(Buffer.from(hex, "hex"), createHmac("sha256", secret).update(body).digest());
}
