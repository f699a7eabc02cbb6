/** Why there was no answer, as far as its owner may know. Pure. */

/** OpenSSL's reasons for not trusting a certificate, as Node names them; nodemailer keeps them as `originalCode`. */
const DISTRUST = /^(?:CERT_|CRL_|HOSTNAME_MISMATCH|.*SELF_SIGNED|UNABLE_TO_|INVALID_(?:CA|PURPOSE)|ERR_TLS_CERT_)/;

/**
 * What its owner can mend is told apart. Whether there is such a name, whether it may be called and whether the port is
 * open is not: it may be one inside the operator's network.
 */
export function noAnswer(error: unknown): "certificate" | "unreachable" {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, originalCode = code } = cause as { code?: unknown; originalCode?: unknown };
    if (typeof originalCode === "string" && DISTRUST.test(originalCode)) return "certificate";
  }
  return "unreachable";
}
