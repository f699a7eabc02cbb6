/**
 * The second half of a sign-in: one callback for every provider, driven by the stored row
 * (docs/rules/sign-in.md#the-stored-row-decides).
 */
import type { Context } from "hono";
import { NotAuthenticatedError } from "../../http/authenticate.ts";
import type { AppEnv } from "../../http/endpoint.ts";
import { readCookie, writeCookie } from "../sessions/cookies.ts";
import { ABSOLUTE_SECONDS, endSessionOf, type FoundSession, findSession } from "../sessions/sessions.ts";
import { type BeginDeps, redirectUri } from "./beginSignIn.ts";
import { confirmationPage } from "./confirmationPage.ts";
import { storeConfirmation } from "./confirmations.ts";
import { SignInRefusedError } from "./errors.ts";
import { belongsTo } from "./identities.ts";
import type { Provider } from "./provider.ts";
import type { Providers } from "./providers.ts";
import { type SignInDeps, signIn } from "./signIn.ts";
import { auditRefusal } from "./signInAudit.ts";
import { type Begun, takeSignIn } from "./signInState.ts";
import { claimCode } from "./usedCodes.ts";

export type FinishDeps = BeginDeps & SignInDeps & { providers: Providers };

/**
 * Answers with a redirect to where the sign-in was begun, or to a page that asks the person first.
 * @throws SignInRefusedError, ProviderUnavailableError
 */
export async function finishSignIn(c: Context<AppEnv>, deps: FinishDeps): Promise<Response> {
  const { db, keyring, origin } = deps;
  const parameters = new URL(c.req.url).searchParams;
  const state = parameters.get("state") ?? "";
  const begun = await takeSignIn(db, keyring, { state, browser: readCookie(c, origin, "signIn") });
  try {
    return await complete(c, deps, begun, { parameters, state });
  } catch (error) {
    await auditRefusal(db, begun, error);
    throw error;
  }
}

type Taken = Awaited<ReturnType<typeof takeSignIn>>;
type Sent = { parameters: URLSearchParams; state: string };

async function complete(
  c: Context<AppEnv>,
  deps: FinishDeps,
  begun: Taken,
  { parameters, state }: Sent,
): Promise<Response> {
  const { db, keyring, origin } = deps;
  const provider = await providerOf(deps.providers, begun);
  const session = await currentSession(c, deps);
  assertSameSession(session, begun);
  await claimCode(db, parameters.getAll("code"));
  const { nonce, codeVerifier } = begun.secrets;
  const callback = { parameters, redirectUri: redirectUri(origin), state, nonce, codeVerifier };
  const signedIn = await provider.complete(callback).catch((error: unknown) => {
    // The person sees a short sentence; whoever set the provider up needs the reason.
    c.var.log.warn({ err: error, provider_key: provider.key }, "a sign-in was refused");
    throw error;
  });
  const { returnTo, sourceId } = begun;
  const links = begun.link !== null;
  if (session !== null && (links || !(await belongsTo(db, signedIn.identity, session.userId)))) {
    const id = await storeConfirmation(db, keyring, session.id, { links, sourceId, signedIn, returnTo });
    return c.redirect(confirmationPage(origin, id), 302);
  }
  const replaced = readCookie(c, origin, "session");
  const token = await signIn(deps, signedIn, sourceId, c.var.log);
  // Its cookie goes now: nobody could sign out of it any more.
  if (replaced !== null) await endSessionOf(db, replaced);
  writeCookie(c, origin, "session", token, ABSOLUTE_SECONDS);
  return c.redirect(`${origin.baseUrl}${returnTo}`, 302);
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

async function currentSession(c: Context, { db, origin }: BeginDeps): Promise<FoundSession | null> {
  const token = readCookie(c, origin, "session");
  return token === null ? null : await findSession(db, token);
}

/** A link that was begun in one session must end in it: otherwise it would give one person's identity to another. */
function assertSameSession(session: FoundSession | null, { link }: Begun): void {
  if (link === null) return;
  if (session === null) throw new NotAuthenticatedError();
  if (session.id !== link.sessionId) throw new SignInRefusedError("Linking was begun in another session. Begin again.");
}
