/**
 * The second half of a sign-in: one callback for every provider, driven by the stored row
 * (docs/rules/sign-in.md#the-stored-row-decides).
 */
import type { Context } from "hono";
import { NotAuthenticatedError } from "../../http/authenticate.ts";
import type { AppEnv } from "../../http/endpoint.ts";
import { readCookie, writeCookie } from "../sessions/cookies.ts";
import { ABSOLUTE_SECONDS, endSessionOf, findSession } from "../sessions/sessions.ts";
import { type BeginDeps, redirectUri } from "./beginSignIn.ts";
import { SignInRefusedError } from "./errors.ts";
import type { Provider } from "./provider.ts";
import type { Providers } from "./providers.ts";
import { linkSignedIn, type SignInDeps, signIn } from "./signIn.ts";
import { type Begun, takeSignIn } from "./signInState.ts";
import { claimCode } from "./usedCodes.ts";

export type FinishDeps = BeginDeps & SignInDeps & { providers: Providers };

/** Answers with a redirect to where the sign-in was begun. @throws SignInRefusedError, ProviderUnavailableError */
export async function finishSignIn(c: Context<AppEnv>, deps: FinishDeps): Promise<Response> {
  const { db, keyring, origin } = deps;
  const parameters = new URL(c.req.url).searchParams;
  const state = parameters.get("state") ?? "";
  const begun = await takeSignIn(db, keyring, { state, browser: readCookie(c, origin, "signIn") });
  const provider = await providerOf(deps.providers, begun);
  await assertSameSession(c, deps, begun);
  await claimCode(db, parameters.getAll("code"));
  const { nonce, codeVerifier } = begun.secrets;
  const callback = { parameters, redirectUri: redirectUri(origin), state, nonce, codeVerifier };
  const signedIn = await provider.complete(callback).catch((error: unknown) => {
    // The person sees a short sentence; whoever set the provider up needs the reason.
    c.var.log.warn({ err: error, provider_key: provider.key }, "a sign-in was refused");
    throw error;
  });
  if (begun.link !== null) {
    await linkSignedIn(deps, signedIn, { userId: begun.link.userId, sourceId: begun.sourceId }, c.var.log);
  } else {
    const replaced = readCookie(c, origin, "session");
    const token = await signIn(deps, signedIn, begun.sourceId, c.var.log);
    // Its cookie goes now: nobody could sign out of it any more.
    if (replaced !== null) await endSessionOf(db, replaced);
    writeCookie(c, origin, "session", token, ABSOLUTE_SECONDS);
  }
  return c.redirect(`${origin.baseUrl}${begun.returnTo}`, 302);
}

/** As the row says. A source that was disabled, or pointed at another issuer, since the beginning ends it. */
async function providerOf(
  providers: Providers,
  { providerKey, sourceId, secrets }: Begun & { secrets: { issuer: string } },
): Promise<Provider> {
  const provider =
    sourceId === null ? providers.ofPlatform(providerKey) : (await providers.sourceById(sourceId))?.provider;
  if (provider?.issuer !== secrets.issuer || provider === undefined) {
    throw new SignInRefusedError("This way of signing in was changed meanwhile. Begin again.");
  }
  return provider;
}

/** A link that was begun in one session must end in it: otherwise it would give one person's identity to another. */
async function assertSameSession(c: Context, { db, origin }: BeginDeps, { link }: Begun): Promise<void> {
  if (link === null) return;
  const token = readCookie(c, origin, "session");
  const session = token === null ? null : await findSession(db, token);
  if (session === null) throw new NotAuthenticatedError();
  if (session.id !== link.sessionId) throw new SignInRefusedError("Linking was begun in another session. Begin again.");
}
