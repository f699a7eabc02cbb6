/** What a person can sign in with: their own list, and taking one away. Linking is explicit, and so is its end. */
import { type SQL, sql } from "drizzle-orm";
import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";
import { byCreation, type ListQuery, listPage } from "../../http/listQuery.ts";
import type { Principal } from "../../http/principal.ts";
import type { Db, Tx } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { recordAudits } from "../audit/record.ts";
import { ForbiddenError } from "../authorization/authorize.ts";
import type { SessionHolder } from "../authorization/requireSession.ts";
import type { memberships, users } from "../members/schema.ts";
import { keepingAdmins } from "../roles/lastAdmin.ts";
import { auditIdentity } from "./identities.ts";
import type { Identity, Provider } from "./provider.ts";

const OwnIdentity = v.pipe(
  v.object({
    id: Id,
    provider_key: v.string(),
    issuer: v.string(),
    subject: v.string(),
    login: v.pipe(v.nullable(v.string()), v.metadata({ description: "What the provider called you last" })),
    can_sign_in: v.pipe(
      v.boolean(),
      v.metadata({
        description: "Whether its provider is configured now; of an organization's own: any enabled source",
      }),
    ),
    this_session: v.pipe(v.boolean(), v.metadata({ description: "Whether the calling session was begun with it" })),
    last_login_at: v.nullable(Time),
    created_at: Time,
  }),
  v.metadata({ ref: "Identity" }),
);
export const IdentityPage = v.pipe(pageOf(OwnIdentity), v.metadata({ ref: "IdentityPage" }));
type OwnIdentity = v.InferInput<typeof OwnIdentity>;

export const IDENTITY_LIST = byCreation("i");

/** Providers of the platform with which people can sign in now. */
type Platform = readonly Pick<Provider, "key" | "issuer">[];

/** The caller's own, with any token of theirs. @throws ForbiddenError for service accounts, InvalidValueError */
export async function listIdentities(
  db: Db,
  principal: Principal,
  platform: Platform,
  query: ListQuery,
): Promise<{ items: OwnIdentity[]; next_cursor: string | null }> {
  if (principal.kind !== "user") throw new ForbiddenError("Only people have identities.");
  const { credential } = principal;
  const sessionId = credential.kind === "session" ? credential.sessionId : null;
  const list = listPage(query, IDENTITY_LIST);
  const rows = await db.execute<OwnIdentity & { sort_value: string }>(sql`
    select i.id, i.provider_key, i.issuer, i.subject, i.login, ${usable(platform)} as can_sign_in,
      exists (select from sessions s where s.id = ${sessionId}::uuid and s.identity_id = i.id) as this_session,
      i.last_login_at, i.created_at, ${list.sortValue}
    from user_identities i where i.user_id = ${principal.id} and ${list.after}
    order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, (row) => row.id);
  return {
    items: items.map(({ sort_value, ...row }) => ({
      ...row,
      last_login_at: rfc3339(row.last_login_at),
      created_at: rfc3339(row.created_at),
    })),
    next_cursor,
  };
}

/** Over `user_identities i`: somebody could sign in with it now. */
function usable(platform: Platform): SQL {
  const keys = sql.param(platform.map(({ key }) => key));
  const issuers = sql.param(platform.map(({ issuer }) => issuer));
  return sql`(i.provider_key, i.issuer) in (select * from unnest(${keys}::text[], ${issuers}::text[]))
    or i.provider_key = 'oidc' and exists (
      select from identity_sources s join organizations o on o.id = s.org_id
      where s.provider_key = 'oidc' and s.oidc_issuer = i.issuer and s.enabled and o.login_handle is not null)`;
}

class LastIdentityError extends ProblemError {
  constructor() {
    const detail = "Without this identity you could not sign in any more. Link another one first.";
    super({ status: 409, code: "conflict", detail });
  }
}

/**
 * Take an identity from its owner, and in the same transaction all that came through it: sessions begun with it, groups
 * that its provider told of, and memberships that an access rule gave. What the person was given by people stays, as do
 * personal tokens. By session only.
 * @returns whether the calling session ended with it
 * @throws NotFoundError for an identity that is not the caller's, LastIdentityError, LastAdminError
 */
export async function unlinkIdentity(
  service: Service,
  caller: SessionHolder,
  platform: Platform,
  id: string,
): Promise<{ signedOut: boolean }> {
  requireUuids(id);
  return unitOfWork(service, async ({ tx }) => {
    // The person before anything else, as a sign-in does: of two that unlink at once the second sees what the first
    // left.
    const [person] = await tx.execute<SqlRow<typeof users, "is_super_admin">>(
      sql`select is_super_admin from users where id = ${caller.id} for no key update`,
    );
    const identity = await ownIdentity(tx, caller.id, id);
    const orgIds = await concerned(tx, caller.id, id, identity);
    return keepingAdmins(tx, { orgIds, superAdmin: person?.is_super_admin === true }, async () => {
      // Before its memberships end: their organizations are told too.
      await auditIdentity(tx, "identity.unlink", caller.id, identity);
      const { sessions, orgs } = await endAll(tx, caller.id, id, identity);
      const left = await tx.execute(
        sql`select from user_identities i where i.user_id = ${caller.id} and (${usable(platform)}) limit 1`,
      );
      if (left.length === 0) throw new LastIdentityError();
      const details = { source: "identity_source", reason: "identity_unlinked" };
      const ended = { actor: caller, action: "member.revoke", resourceId: caller.id, details } as const;
      await recordAudits(
        tx,
        orgs.map((orgId) => ({ ...ended, orgId })),
      );
      return { signedOut: sessions.includes(caller.sessionId) };
    });
  });
}

async function ownIdentity(tx: Tx, userId: string, id: string): Promise<Identity> {
  const rows = await tx.execute<Identity>(sql`
    select provider_key as "providerKey", issuer, subject from user_identities where id = ${id} and user_id = ${userId}
  `);
  return requireRow(rows);
}

/**
 * Over `memberships m`. Those of which nothing is recorded end too: the next sign-in brings back what another identity
 * gives.
 */
function ruledBy(userId: string, id: string): SQL {
  return sql`m.user_id = ${userId} and m.source = 'identity_source' and m.expires_at is not null
    and (m.identity_id = ${id} or m.identity_id is null)`;
}

/**
 * Over `external_entitlements e`. They are kept by question and not by identity, so two identities of one provider
 * share them; the next sign-in with the other one writes its own again.
 */
function toldOf(userId: string, { providerKey, issuer }: Identity): SQL {
  const exactIssuer = providerKey === "oidc" ? issuer : "";
  return sql`e.user_id = ${userId} and e.provider_key = ${providerKey} and e.issuer = ${exactIssuer}`;
}

/** Organizations in which the person may lose a right. */
async function concerned(tx: Tx, userId: string, id: string, identity: Identity): Promise<string[]> {
  const rows = await tx.execute<SqlRow<typeof memberships, "org_id">>(sql`
    select m.org_id from memberships m where ${ruledBy(userId, id)}
    union
    select s.org_id from external_entitlements e
      join identity_sources s on s.provider_key = e.provider_key and s.oidc_issuer = e.issuer
        and s.oidc_client_id = e.client_id and s.oidc_groups_claim = e.groups_claim
      join group_role_bindings b on b.identity_source_id = s.id and b.group_key = e.group_key
    where ${toldOf(userId, identity)} and exists (select from memberships m where m.org_id = s.org_id and m.user_id = ${userId})
    order by 1`);
  return rows.map((row) => row.org_id);
}

async function endAll(tx: Tx, userId: string, id: string, identity: Identity) {
  const [ended] = await tx.execute<{
    sessions: string[];
    orgs: string[];
  }>(sql`
    with sessions as (delete from sessions where user_id = ${userId} and (identity_id = ${id} or identity_id is null) returning id),
      groups as (delete from external_entitlements e where ${toldOf(userId, identity)}),
      orgs as (delete from memberships m where ${ruledBy(userId, id)} returning org_id)
    select (select coalesce(jsonb_agg(id), '[]') from sessions) as sessions,
      (select coalesce(jsonb_agg(org_id), '[]') from orgs) as orgs`);
  // After the sessions, which would else be deleted with it, uncounted.
  await tx.execute(sql`delete from user_identities where id = ${id}`);
  return ended!;
}
