/** Organizations whose access rules a sign-in satisfies. */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { type AccessRule, namesIn, ruleMatches } from "./accessRule.ts";
import { answeredSource } from "./entitlements.ts";
import type { Facts, Question } from "./provider.ts";
import type { identitySources } from "./schema.ts";

/**
 * Only rules of enabled sources whose whole question was answered are looked at, so never one of another issuer. The
 * query narrows them to names in the answer, since a platform-wide provider has sources in every organization.
 *
 * At an organization's own provider only that organization's rules count: issuer and client id are no secrets, and
 * whoever wrote them into a source of their own would be told who signs in elsewhere, and get them as members.
 * @param sourceId the source that the sign-in was begun at; null at a platform-wide provider
 */
export async function admittingOrgs(
  tx: Tx,
  question: Question,
  facts: Facts,
  sourceId: string | null,
): Promise<string[]> {
  const names = sql.param(namesIn(facts));
  const rows = await tx.execute<SqlRow<typeof identitySources, "org_id"> & { rule: AccessRule }>(sql`
    select s.org_id, r.rule || jsonb_build_object('type', r.rule_type) as rule
    from identity_sources s join access_rules r on r.identity_source_id = s.id
    where ${answeredSource(question)}
      and (${sourceId}::uuid is null or s.org_id = (select b.org_id from identity_sources b where b.id = ${sourceId}::uuid))
      and (r.rule ->> 'org' = any(${names}::text[])
      or r.rule ->> 'group' = any(${names}::text[]) or r.rule -> 'domains' ?| ${names}::text[])`);
  return [...new Set(rows.filter(({ rule }) => ruleMatches(rule, facts)).map((row) => row.org_id))].sort();
}
