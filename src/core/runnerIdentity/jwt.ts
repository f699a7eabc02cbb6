/**
 * Tokens of coordinators and runners: ES256, signed with the group's private key, `kid` the group's id
 * (docs/rules/runner-protocol.md#tokens). This file checks the signature and the claims' shape; what depends on
 * stored state or time (rotation, expiry by the database's clock, whose run it is) is `admission.ts`.
 */
import { type CompactJWSHeaderParameters, compactVerify, errors } from "jose";
import * as v from "valibot";
import type { GroupKey } from "./keys.ts";

/** Our own tokens take some 400 bytes. */
const MAX_TOKEN_BYTES = 2_048;
const ALGORITHMS = { algorithms: ["ES256"] };
/** 64 bytes of signature in base64url; the last character has four unused bits, which must be zero. */
const SIGNATURE = /^[A-Za-z0-9_-]{85}[AQgw]$/;

const id = v.pipe(v.string(), v.regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/));
/** Seconds since 1970; bounded so that Postgres can hold it. */
const instant = v.pipe(v.number(), v.minValue(0), v.maxValue(99_999_999_999));
const times = { iat: instant, exp: instant, nbf: v.optional(instant) };
const GroupToken = v.object({ token_type: v.literal("runner_group"), group_id: id, ...times });
const RunnerToken = v.object({
  token_type: v.literal("runner"),
  group_id: id,
  runner_id: id,
  run_id: id,
  ...times,
});
const Claims = v.variant("token_type", [GroupToken, RunnerToken]);
export type Claims = v.InferOutput<typeof Claims>;

/**
 * The claims of a well-made token, or null. `keyOf` is asked only for a `kid` that could be a group's id, so a
 * malformed one costs no query; an error it throws (the database is away) passes through.
 */
export async function verifyToken(
  token: string,
  keyOf: (groupId: string) => Promise<GroupKey | null>,
): Promise<Claims | null> {
  if (token.length > MAX_TOKEN_BYTES || !SIGNATURE.test(token.slice(token.lastIndexOf(".") + 1))) return null;
  let kid: unknown;
  try {
    const { payload } = await compactVerify(
      token,
      async (header: CompactJWSHeaderParameters) => {
        kid = header.kid;
        const found = v.is(id, kid) ? await keyOf(kid) : null;
        if (found === null) throw new errors.JWSSignatureVerificationFailed();
        return found.key;
      },
      ALGORITHMS,
    );
    const claims = v.safeParse(Claims, JSON.parse(new TextDecoder().decode(payload)));
    return claims.success && claims.output.group_id === kid ? claims.output : null;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof SyntaxError) return null;
    throw error;
  }
}
