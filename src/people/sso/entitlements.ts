/**
 * What a sign-in learned of a person's groups, kept for a while
 * (docs/rules/sign-in.md#a-sign-in-rewrites-what-it-asked).
 */
import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import type { Question } from "./provider.ts";

/**
 * Rewrite the rows of exactly this question: groups that no enabled source of the question binds are not kept, and
 * those of other questions are left alone.
 */
export async function rewriteEntitlements(
  tx: Tx,
  { userId, question, groups, ttlMs }: { userId: string; question: Question; groups: readonly string[]; ttlMs: number },
): Promise<void> {
  const { providerKey, issuer, clientId, groupsClaim } = question;
  await tx.execute(sql`
    with bound as materialized (
      select distinct b.group_key from identity_sources s join group_role_bindings b on b.identity_source_id = s.id
      where ${answeredSource(question)} and b.group_key = any(${sql.param([...groups])}::text[])
    ), gone as (
      delete from external_entitlements where user_id = ${userId} and provider_key = ${providerKey} and issuer = ${issuer}
        and client_id = ${clientId} and groups_claim = ${groupsClaim} and group_key not in (select group_key from bound)
    )
    insert into external_entitlements (user_id, provider_key, issuer, client_id, groups_claim, group_key, expires_at)
    select ${userId}, ${providerKey}, ${issuer}, ${clientId}, ${groupsClaim}, group_key, ${ttlEnd(ttlMs)} from bound
    on conflict (user_id, told_sha256) do update set expires_at = excluded.expires_at`);
}

/** Over `identity_sources s`: an enabled source whose question a sign-in answered. All four must agree. */
export function answeredSource({ providerKey, issuer, clientId, groupsClaim }: Question): SQL {
  return sql`s.enabled and s.provider_key = ${providerKey} and s.oidc_issuer = ${issuer}
    and s.oidc_client_id = ${clientId} and s.oidc_groups_claim = ${groupsClaim}`;
}

/** When what was learned now stops to count. */
export function ttlEnd(ttlMs: number): SQL {
  return sql`(svc_now() + ${ttlMs}::float8 * interval '1 millisecond')`;
}
