/**
 * An authorization code works once here, whichever sign-in brings it.
 *
 * All providers share one redirect address, and organizations bring providers of their own. A hostile one can send a
 * person on to an honest provider, with our client id there and the state of the hostile sign-in: the honest code then
 * arrives in the hostile sign-in and goes to the hostile token endpoint, whose owner would present it again in a
 * sign-in of their own and be the victim. The `iss` parameter stops that for providers that send it; the code host does
 * not. Remembering the code before it is sent anywhere stops it for all: the attacker can know it only after it was
 * used up here.
 */
import { sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";
import { tokenHash } from "../credentials/format.ts";
import { SignInRefusedError } from "./errors.ts";

/** Longer than any provider lets a code live. */
const REMEMBERED = sql`interval '1 hour'`;

/**
 * @throws SignInRefusedError when one of the codes was seen before. An answer with none or several is refused later.
 */
export async function claimCode(db: Queryable, codes: readonly string[]): Promise<void> {
  for (const code of new Set(codes.slice(0, 2))) {
    const claimed = await db.execute(sql`
      insert into used_sign_in_codes (code_sha256, expires_at) values (${tokenHash(code)}, svc_now() + ${REMEMBERED})
      on conflict do nothing returning 1`);
    if (claimed.length === 0) throw new SignInRefusedError("This answer of the identity provider was used before.");
  }
}
