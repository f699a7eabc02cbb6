/** A person agrees to what a provider answered, or sees what they would agree to. */
import { eq } from "drizzle-orm";
import * as v from "valibot";
import { Time } from "../../http/answerFields.ts";
import type { Logger } from "../../platform/telemetry/log.ts";
import type { SessionHolder } from "../authorization/requireSession.ts";
import { users } from "../members/schema.ts";
import { endSession } from "../sessions/sessions.ts";
import { readConfirmation, takeConfirmation } from "./confirmations.ts";
import { SignInRefusedError } from "./errors.ts";
import type { FinishDeps } from "./finishSignIn.ts";
import type { SignedIn } from "./provider.ts";
import type { Providers } from "./providers.ts";
import { linkSignedIn, signIn } from "./signIn.ts";

export const Confirmation = v.pipe(
  v.object({
    action: v.pipe(
      v.picklist(["link", "switch"]),
      v.metadata({ description: "Link the identity to you, or sign in as somebody else in your place" }),
    ),
    provider_key: v.string(),
    issuer: v.string(),
    login: v.string(),
    display_name: v.nullable(v.string()),
    signed_in_as: v.object({ id: v.string(), login: v.string() }),
    expires_at: Time,
  }),
  v.metadata({ ref: "SignInConfirmation" }),
);
type Confirmation = v.InferInput<typeof Confirmation>;

/** @throws NotFoundError */
export async function showConfirmation(
  { db, keyring }: Pick<FinishDeps, "db" | "keyring">,
  caller: SessionHolder,
  id: string,
): Promise<Confirmation> {
  const { links, signedIn, expiresAt } = await readConfirmation(db, keyring, { id, sessionId: caller.sessionId });
  const [person] = await db.select({ login: users.login }).from(users).where(eq(users.id, caller.id));
  return {
    action: links ? "link" : "switch",
    provider_key: signedIn.identity.providerKey,
    issuer: signedIn.identity.issuer,
    login: signedIn.login,
    display_name: signedIn.displayName,
    signed_in_as: { id: caller.id, login: person?.login ?? caller.id },
    expires_at: expiresAt,
  };
}

/**
 * @returns where the sign-in was to end, and the new session's token where it signs in as somebody else
 * @throws NotFoundError, SignInRefusedError, IdentityTakenError
 */
export async function confirmSignIn(
  deps: FinishDeps,
  caller: SessionHolder,
  id: string,
  log: Logger,
): Promise<{ returnTo: string; session: string | null }> {
  const { db, keyring, providers } = deps;
  const key = { id, sessionId: caller.sessionId };
  const { links, sourceId, signedIn, returnTo } = await readConfirmation(db, keyring, key);
  await assertOffered(providers, sourceId, signedIn);
  if (links) {
    await linkSignedIn(deps, signedIn, { caller, sourceId, confirmationId: id }, log);
    return { returnTo, session: null };
  }
  await takeConfirmation(db, key);
  const session = await signIn(deps, signedIn, sourceId, log);
  await endSession(db, caller.sessionId);
  return { returnTo, session };
}

/** No more than at the callback may a source be disabled or pointed elsewhere meanwhile. */
async function assertOffered(providers: Providers, sourceId: string | null, { identity }: SignedIn): Promise<void> {
  const provider =
    sourceId === null ? providers.ofPlatform(identity.providerKey) : (await providers.sourceById(sourceId))?.provider;
  if (provider?.issuer !== identity.issuer) {
    throw new SignInRefusedError("This way of signing in was changed meanwhile. Begin again.");
  }
}
