/**
 * Which user an identity is: found by provider, issuer and subject alone, never by e-mail, login or id
 * (docs/rules/organizations.md#user-ids).
 */
import { sql } from "drizzle-orm";
import type { Queryable, Tx } from "../../platform/db/client.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { recordAudits } from "../audit/record.ts";
import { UNEXPIRED } from "../authorization/membership.ts";
import { SignInRefusedError } from "./errors.ts";
import type { Identity, SignedIn } from "./provider.ts";
import { userId } from "./userId.ts";

class IdentityTakenError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "This identity already belongs to another user." });
  }
}

class UnlinkedError extends SignInRefusedError {
  constructor() {
    super("This identity was unlinked from its user. Sign in another way, and link it again.");
  }
}

/** A user's identity, by the ids of both. */
export type KnownIdentity = { userId: string; identityId: string };

/**
 * The enabled user of an identity, made at the first sign-in. The row stays locked, so that disabling the user comes
 * either before, and is seen here, or after, and ends what this sign-in makes.
 * @throws SignInRefusedError for a disabled user, or an id that belongs to another identity: 48 bits of an issuer's
 * hash can
 *   be made to collide
 */
export async function signedInUser(tx: Tx, signedIn: SignedIn): Promise<KnownIdentity> {
  // First, since it refuses names that no query may see.
  const id = userId(signedIn);
  const known = (await lockedUser(tx, signedIn.identity)) ?? (await newUser(tx, signedIn, id));
  if (known.disabled) throw new SignInRefusedError("This user is disabled.");
  const [linked] = await tx.execute<{ id: string }>(sql`
    with named as (
      update users set login = ${signedIn.login}, display_name = coalesce(${storable(signedIn.displayName)}, display_name)
      where id = ${known.id} and ${sameIdentity(signedIn.identity)}
    )
    update user_identities set last_login_at = svc_now(), login = ${signedIn.login}
    where ${sameIdentity(signedIn.identity)} and user_id = ${known.id} returning id`);
  // Unlinked, perhaps linked to somebody else, while this waited for the user's row.
  if (linked === undefined) throw new UnlinkedError();
  return { userId: known.id, identityId: linked.id };
}

type Found = { id: string; disabled: boolean };

async function lockedUser(tx: Tx, identity: Identity): Promise<Found | undefined> {
  const [row] = await tx.execute<Found>(sql`
    select u.id, u.disabled_at is not null as disabled from users u
    where u.id = (select user_id from user_identities where ${sameIdentity(identity)})
    for no key update of u`);
  return row;
}

async function newUser(tx: Tx, { identity, login, displayName }: SignedIn, id: string): Promise<Found> {
  const { providerKey, issuer, subject } = identity;
  // Without a target: the id and the identity are both unique, and each may be taken, by a twin or by a second tab.
  const made = await tx.execute(sql`
    insert into users (id, provider_key, issuer, subject, login, display_name)
    values (${id}, ${providerKey}, ${issuer}, ${subject}, ${login}, ${storable(displayName)})
    on conflict do nothing returning 1`);
  if (made.length > 0) {
    const added = await tx.execute(sql`
      insert into user_identities (provider_key, issuer, subject, user_id) values (${providerKey}, ${issuer}, ${subject}, ${id})
      on conflict do nothing returning 1`);
    if (added.length === 0) throw new SignInRefusedError("This identity was linked to a user just now. Sign in again.");
    return { id, disabled: false };
  }
  const other = await lockedUser(tx, identity);
  if (other !== undefined) return other;
  // The user whose id it gave is still there without it.
  const unlinked = await tx.execute(sql`select from users where ${sameIdentity(identity)}`);
  if (unlinked.length > 0) throw new UnlinkedError();
  throw new SignInRefusedError("This identity cannot be told apart from another user's.");
}

/**
 * Give a user a further identity. Idempotent.
 * @returns whether they did not have it before, and its id
 * @throws IdentityTakenError, SignInRefusedError when the user is disabled
 */
export async function linkIdentity(
  tx: Tx,
  signedIn: SignedIn,
  linkTo: string,
): Promise<{ identityId: string; added: boolean }> {
  // It gives no id here; it refuses names that no query may see.
  userId(signedIn);
  const enabled = await tx.execute(
    sql`select from users where id = ${linkTo} and disabled_at is null for no key update`,
  );
  if (enabled.length === 0) throw new SignInRefusedError("This user is disabled.");
  const { providerKey, issuer, subject } = signedIn.identity;
  const [linked] = await tx.execute<{ id: string; added: boolean }>(sql`
    insert into user_identities as i (provider_key, issuer, subject, user_id, login, last_login_at)
    values (${providerKey}, ${issuer}, ${subject}, ${linkTo}, ${signedIn.login}, svc_now())
    on conflict (provider_key, issuer, subject) do update set last_login_at = svc_now(), login = excluded.login
      where i.user_id = excluded.user_id
    returning i.id, old.id is null as added`);
  if (linked === undefined) throw new IdentityTakenError();
  return { identityId: linked.id, added: linked.added };
}

/** Whether this identity is one of this person's already. */
export async function belongsTo(db: Queryable, identity: Identity, userId: string): Promise<boolean> {
  const rows = await db.execute(
    sql`select from user_identities where ${sameIdentity(identity)} and user_id = ${userId}`,
  );
  return rows.length > 0;
}

/**
 * A change to what a person can sign in with, in the installation's trail and in those of their organizations, their
 * personal one among them. The subject is the provider's name for them, and the organizations' no business.
 */
export async function auditIdentity(
  tx: Tx,
  action: "identity.link" | "identity.unlink",
  userId: string,
  { providerKey, issuer, subject }: Identity,
): Promise<void> {
  const orgs = await tx.execute<{ org_id: string }>(
    sql`select m.org_id from memberships m where m.user_id = ${userId} and ${UNEXPIRED} order by 1`,
  );
  const entry = { actor: { id: userId, kind: "user" }, action, resourceId: userId } as const;
  const details = { provider_key: providerKey, issuer };
  await recordAudits(tx, [
    { ...entry, orgId: null, details: { ...details, subject } },
    ...orgs.map(({ org_id }) => ({ ...entry, orgId: org_id, details })),
  ]);
}

function sameIdentity({ providerKey, issuer, subject }: Identity) {
  return sql`provider_key = ${providerKey} and issuer = ${issuer} and subject = ${subject}`;
}

/** Only shown; what a database cannot hold is left out. */
function storable(name: string | null): string | null {
  return name === null ? null : name.replaceAll("\0", "").slice(0, 200);
}
