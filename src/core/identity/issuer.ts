/** The service as an issuer of identities: OpenID Connect's tokens, as clouds take them from any issuer. */
import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import type { RunIdentity } from "../runs/protocol.ts";
import { claimsOf, type IdentitySubject, type Phase, subjectOf } from "./claims.ts";
import { ALGORITHM, type SigningKeys } from "./signingKeys.ts";

/** How far behind a verifier's clock may be. */
const SKEW_MS = 60_000;

export type IdentityToken = Pick<RunIdentity, "token" | "expires_at" | "expires_in">;

export type IdentityIssuer = {
  /** As it is in `iss`, where `/.well-known/openid-configuration` is below it. */
  url: string;
  keys: SigningKeys;
  /**
   * A token for each audience, all by one key. None outlives `endsAtMs`, when the run has to be over.
   * @throws DecryptionError, KeyServiceUnavailableError
   */
  tokens(
    subject: IdentitySubject & { endsAtMs: number },
    phase: Phase,
    audiences: readonly string[],
  ): Promise<Map<string, IdentityToken>>;
};

export function identityIssuer(url: string, keys: SigningKeys, lifetimeMs: number): IdentityIssuer {
  return {
    url,
    keys,
    async tokens({ endsAtMs, ...subject }, phase, audiences) {
      const { kid, key, nowMs } = await keys.signer();
      const now = Math.floor(nowMs / 1_000);
      const exp = Math.floor(Math.min(nowMs + lifetimeMs, endsAtMs) / 1_000);
      const ends = { expires_at: new Date(exp * 1_000).toISOString(), expires_in: Math.max(0, exp - now) };
      const signed = [...new Set(audiences)].map(async (audience) => {
        const token = await new SignJWT(claimsOf(subject, phase))
          .setProtectedHeader({ alg: ALGORITHM, kid, typ: "JWT" })
          .setIssuer(url)
          .setSubject(subjectOf(subject, phase))
          .setAudience(audience)
          .setIssuedAt(now)
          .setNotBefore(Math.floor((nowMs - SKEW_MS) / 1_000))
          .setExpirationTime(exp)
          .setJti(randomUUID())
          .sign(key);
        return [audience, { token, ...ends }] as const;
      });
      return new Map(await Promise.all(signed));
    },
  };
}
