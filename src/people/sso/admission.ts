/** Organizations whose access rules a sign-in satisfies, and which of them may admit who satisfies them. */
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
 *
 * A rule admits where the organization has proven that what it names is its own; else it only invites, and personal
 * organizations do neither (docs/rules/sign-in.md#rules-need-proof). Whom an organization's own provider puts into a
 * group is its own already.
 * @param sourceId the source that the sign-in was begun at; null at a platform-wide provider
 */
export async function admittingOrgs(
  tx: Tx,
  question: Question,
  facts: Facts,
  sourceId: string | null,
): Promise<{ admitting: string[]; inviting: string[] }> {
  const names = sql.param(namesIn(facts));
  const rows = await tx.execute<Candidate>(sql`
    select s.org_id, r.rule || jsonb_build_object('type', r.rule_type) as rule,
      case when r.rule_type = 'oidc_group' then null else ${PROVEN} end as proven
    from identity_sources s join access_rules r on r.identity_source_id = s.id
      join organizations o on o.id = s.org_id and not o.is_personal
    where ${answeredSource(question)}
      and (${sourceId}::uuid is null or s.org_id = (select b.org_id from identity_sources b where b.id = ${sourceId}::uuid))
      and (r.rule ->> 'org' = any(${names}::text[])
      or r.rule ->> 'group' = any(${names}::text[]) or r.rule -> 'domains' ?| ${names}::text[])`);
  const matching = rows.filter(({ rule }) => ruleMatches(rule, facts));
  const admitting = new Set(matching.filter((row) => isProven(row, facts)).map((row) => row.org_id));
  const inviting = new Set(matching.map((row) => row.org_id).filter((id) => !admitting.has(id)));
  return { admitting: [...admitting].sort(), inviting: [...inviting].sort() };
}

/** `proven`: what of the rule's kind the organization has proven; null where nothing has to be. */
type Candidate = SqlRow<typeof identitySources, "org_id"> & { rule: AccessRule; proven: string[] | null };

/** Over `identity_sources s` and `access_rules r`. */
const PROVEN = sql`(select coalesce(jsonb_agg(p.name), '[]') from organization_proofs p
  where p.org_id = s.org_id and p.proven_at is not null
    and p.kind = case when r.rule_type = 'workspace_hd' then 'domain' else 'codehost_org' end)`;

function isProven({ rule, proven }: Candidate, facts: Facts): boolean {
  if (proven === null) return true;
  if (facts.kind === "workspace") return facts.hostedDomain !== null && proven.includes(facts.hostedDomain);
  return "org" in rule && proven.includes(rule.org);
}
