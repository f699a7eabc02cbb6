/**
 * What a completed sign-in does: one transaction, from the identity to the session
 * (docs/rules/sign-in.md#one-transaction).
 */

import type { Tx } from "../../platform/db/client.ts";
import type { Logger } from "../../platform/telemetry/log.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { memberOf } from "../authorization/membership.ts";
import type { SessionHolder } from "../authorization/requireSession.ts";
import { acceptInvitations } from "../members/acceptInvitations.ts";
import { offerMembership } from "../members/offers.ts";
import { admitMember, countSeatDenials } from "../members/seats.ts";
import type { OrgDefaults } from "../orgs/orgs.ts";
import { ensurePersonalOrg } from "../orgs/personalOrg.ts";
import { createSession } from "../sessions/sessions.ts";
import { admittingOrgs } from "./admission.ts";
import { takeConfirmation } from "./confirmations.ts";
import { rewriteEntitlements, ttlEnd } from "./entitlements.ts";
import { groupKeys } from "./groupKeys.ts";
import { auditIdentity, type KnownIdentity, linkIdentity, signedInUser } from "./identities.ts";
import { requireOwnSource } from "./linkTarget.ts";
import type { SignedIn } from "./provider.ts";
import { auditSignIn } from "./signInAudit.ts";

export type SignInDeps = {
  service: Service;
  metrics: Pick<Metrics, "seatDenials">;
  orgDefaults: OrgDefaults;
  /** How long what was learned of groups and memberships lasts, in milliseconds. */
  entitlementTtlMs: number;
};

/**
 * @param sourceId the source it was begun at; null at a platform-wide provider
 * @returns the new session's token. @throws SignInRefusedError
 */
export async function signIn(
  deps: SignInDeps,
  signedIn: SignedIn,
  sourceId: string | null,
  log: Logger,
): Promise<string> {
  const { token, withheld } = await unitOfWork(deps.service, async ({ tx }) => {
    const { userId, identityId } = await signedInUser(tx, signedIn);
    await ensurePersonalOrg(tx, { id: userId, login: signedIn.login }, deps.orgDefaults);
    const withheld = await learn(tx, deps, { userId, identityId }, signedIn, sourceId);
    await auditSignIn(tx, userId, signedIn, sourceId);
    return { token: await createSession(tx, userId, identityId), withheld };
  });
  tell(deps, signedIn, withheld, log);
  return token;
}

type Link = { caller: SessionHolder; sourceId: string | null; confirmationId: string };

/**
 * Add the identity to the person who agreed to it, and learn from it as from a sign-in; no new session.
 * @throws as `linkIdentity`, NotFoundError when it was agreed to already, or the session is over
 */
export async function linkSignedIn(
  deps: SignInDeps,
  signedIn: SignedIn,
  { caller, sourceId, confirmationId }: Link,
  log: Logger,
): Promise<void> {
  const { id: userId, sessionId } = caller;
  const withheld = await unitOfWork(deps.service, async ({ tx }) => {
    // The person's row first: who ends their sessions holds it, and the confirmation goes with its session.
    const { identityId, added } = await linkIdentity(tx, signedIn, userId);
    await takeConfirmation(tx, { id: confirmationId, sessionId });
    if (sourceId !== null) await requireOwnSource(tx, userId, sourceId);
    if (added) await auditIdentity(tx, "identity.link", userId, signedIn.identity);
    return learn(tx, deps, { userId, identityId }, signedIn, sourceId);
  });
  tell(deps, signedIn, withheld, log);
}

/** @returns organizations that had no seat; the sign-in goes on without them */
async function learn(
  tx: Tx,
  deps: SignInDeps,
  { userId, identityId }: KnownIdentity,
  signedIn: SignedIn,
  sourceId: string | null,
): Promise<string[]> {
  const { identity, question, facts, verifiedLogins } = signedIn;
  const { providerKey, issuer } = identity;
  const invited = await acceptInvitations(tx, { userId, providerKey, issuer, logins: verifiedLogins });
  if (facts === null) return invited.withheld;
  const ttlMs = deps.entitlementTtlMs;
  const { admitting, inviting } = await admittingOrgs(tx, question, facts, sourceId);
  // Who is a member already has agreed once, or was one before rules needed proof.
  const known = await memberOf(tx, userId, inviting);
  const offered = inviting.filter((id) => !known.includes(id));
  const expiresAt = ttlEnd(ttlMs);
  await offerMembership(tx, { userId, orgIds: offered, source: "identity_source", memberUntil: expiresAt, identityId });
  const orgIds = [...admitting, ...known];
  const ruled = await admitMember(tx, { userId, orgIds, source: "identity_source", expiresAt, identityId });
  await rewriteEntitlements(tx, { userId, question, groups: groupKeys(facts), ttlMs });
  return [...invited.withheld, ...ruled.withheld];
}

/** After the commit, which may have taken several attempts. */
function tell({ metrics }: SignInDeps, { question, facts }: SignedIn, withheld: string[], log: Logger): void {
  countSeatDenials(metrics, withheld, "sso");
  if (facts !== null) return;
  log.warn(
    { provider_key: question.providerKey, groups_claim: question.groupsClaim },
    "a sign-in came without its groups; what is stored stays until it expires",
  );
}
