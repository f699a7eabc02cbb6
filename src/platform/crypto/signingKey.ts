/** Secrets in the form of Standard Webhooks: `whsec_` and the key's bytes in base64. */

const PREFIX = "whsec_";
/** As its libraries take it: in the usual alphabet, with the padding. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The key's bytes; undefined for a secret of another form, null for one that begins so and stands for no bytes. */
export function signingKey(secret: string): Buffer | null | undefined {
  if (!secret.startsWith(PREFIX)) return undefined;
  const digits = secret.slice(PREFIX.length);
  return digits !== "" && BASE64.test(digits) ? Buffer.from(digits, "base64") : null;
}
