/**
 * What a subject holds in an organization, as SQL that other statements are built around, so that a check never costs a
 * statement of its own where it can ride on another.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import type { Action, ResourceType } from "./matrix.ts";
import { assertPair } from "./matrix.ts";

/**
 * One row `(super_admin, member)` for a subject that exists and is enabled, none otherwise. An expired membership
 * counts as absent at once. A service account is at home in its own organization only.
 */
export function standing(subject: Subject, orgId: string | SQL): SQL {
  if (subject.kind === "service_account") {
    return sql`(select false as super_admin, a.org_id = ${orgId}::uuid as member from service_accounts a
      where a.id = ${subject.id}::uuid and a.disabled_at is null)`;
  }
  return sql`(select u.is_super_admin as super_admin, exists (
      select 1 from memberships m where m.user_id = u.id and m.org_id = ${orgId}::uuid
        and (m.expires_at is null or m.expires_at > svc_now())) as member
    from users u where u.id = ${subject.id} and u.disabled_at is null)`;
}

/** How many roles of a binding count, whatever is stored (docs/rules/permissions.md#bindings-count-five-roles). */
export const ROLES_PER_BINDING = 5;

/**
 * The ids of the subject's effective roles in the organization, perhaps more than once: direct assignments, and the
 * roles of sign-in bindings that an unexpired entitlement activates.
 */
function effectiveRoles(subject: Subject, orgId: string | SQL): SQL {
  if (subject.kind === "service_account") {
    return sql`select ra.role_id from role_assignments ra
      where ra.service_account_id = ${subject.id}::uuid and ra.org_id = ${orgId}::uuid`;
  }
  return sql`select ra.role_id from role_assignments ra where ra.user_id = ${subject.id} and ra.org_id = ${orgId}::uuid
    union all ${bindingRoles(subject.id, orgId)}`;
}

/**
 * Roles that sign-in bindings confer on a person. An entitlement activates a binding only if all four of
 * provider, issuer, client and claim are those of the binding's source; `groups_scope` is no part of it.
 *
 * Each `offset 0` keeps the planner from turning the order round: it begins with the person's few entitlements, and
 * goes by index from each to its binding. Left alone it begins with all bindings of the organization as long as there
 * are only hundreds.
 */
function bindingRoles(userId: string, orgId: string | SQL): SQL {
  return sql`select br.role_id
    from (select * from external_entitlements e where e.user_id = ${userId} and e.expires_at > svc_now() offset 0) e
    cross join lateral (
      select b.id from identity_sources s join group_role_bindings b on b.identity_source_id = s.id and b.group_key = e.group_key
      where s.org_id = ${orgId}::uuid and s.enabled and s.provider_key = e.provider_key and s.oidc_issuer = e.issuer
        and s.oidc_client_id = e.client_id and s.oidc_groups_claim = e.groups_claim offset 0) b
    cross join lateral (${countedRoles(sql`b.id`)}) br`;
}

/**
 * The roles of a binding (an expression) that count: of an over-long one the first five ids, so that the order of rows
 * never decides.
 */
export function countedRoles(bindingId: SQL): SQL {
  return sql`select t.role_id from group_role_binding_roles t where t.binding_id = ${bindingId}
    order by t.role_id limit ${sql.raw(String(ROLES_PER_BINDING))}`;
}

/**
 * All permissions of the subject in the organization, as rows `(resource_type, action, resource_pattern, authz_group)`,
 * some perhaps twice. The roles come first (`offset 0` again), then each one's permissions: never all permissions of
 * that type anywhere.
 */
export function grants(subject: Subject, orgId: string | SQL): SQL {
  const own = held(subject, orgId);
  return subject.kind === "service_account" && subject.tokenId !== null ? bounded(own, subject.tokenId) : own;
}

function held(subject: Subject, orgId: string | SQL): SQL {
  // A custom role of another organization grants nothing here, whoever managed to assign it.
  return sql`(select p.resource_type, p.action, p.resource_pattern, p.authz_group
    from (${effectiveRoles(subject, orgId)}) er
    cross join lateral (
      select p.* from roles r join role_permissions p on p.role_id = r.id
      where r.id = er.role_id and (r.org_id is null or r.org_id = ${orgId}::uuid) offset 0) p)`;
}

/**
 * What both `own` and the token's own permissions allow, as rows of the same form: of type, action and target the
 * narrower one each (docs/rules/credentials.md#a-token-does-not-outgrow-its-minting).
 *
 * Two different targets meet where one pattern lies within the other; that is told by their text alone, so only for a
 * wider one of `%` and plain text.
 */
function bounded(own: SQL, tokenId: string): SQL {
  return sql`(select case when h.resource_type = '*' then m.resource_type else h.resource_type end as resource_type,
      case when h.action = '*' then m.action else h.action end as action, both_.resource_pattern, both_.authz_group
    from ${own} h join (select m.* from service_account_tokens t cross join lateral jsonb_to_recordset(t.permissions)
        as m (resource_type text, action text, resource_pattern text, authz_group text) where t.id = ${tokenId}::uuid) m
      on (h.resource_type = m.resource_type or h.resource_type = '*' or m.resource_type = '*')
        and (h.action = m.action or h.action = '*' or m.action = '*')
    cross join lateral (
      select h.resource_pattern, h.authz_group where m.resource_pattern is null and m.authz_group is null
        or m.resource_pattern is not distinct from h.resource_pattern and m.authz_group is not distinct from h.authz_group
        or ${within(sql`h.resource_pattern`, sql`m.resource_pattern`)}
      union
      select m.resource_pattern, m.authz_group where h.resource_pattern is null and h.authz_group is null
        or ${within(sql`m.resource_pattern`, sql`h.resource_pattern`)}) both_)`;
}

/** Whether all that one pattern meets the other meets too; false also where it would take more than this to know. */
function within(narrow: SQL, wide: SQL): SQL {
  return sql`(${wide} !~ '[_\\\\]' and ${narrow} like ${wide})`;
}

/** Whether grant row `p` is of this type and action. @throws InvalidPermissionError */
export function covers<T extends ResourceType>(type: T, action: Action<T>): SQL {
  assertPair(type, action);
  return sql`p.resource_type in (${type}, '*') and p.action in (${action}, '*')`;
}

/**
 * Whether grant row `p` targets a resource: untargeted, a pattern on its name, or one of its groups. A patterned
 * grant never satisfies an empty name; null groups match no group grant (docs/rules/permissions.md#targets).
 */
export function targets(name: SQL, groups: SQL): SQL {
  return sql`(p.resource_pattern is null and p.authz_group is null
    or (${name} <> '' and ${name} like p.resource_pattern escape '\\')
    or p.authz_group = any(${groups}))`;
}

/**
 * Predicate for a `where`: the subject may do `action` on the row whose name and groups are the given columns. Denies a
 * subject without a standing, so that a lookup and its check are one statement.
 */
export function permitted<T extends ResourceType>(
  subject: Subject,
  orgId: string,
  { type, action, name, groups = sql`null::text[]` }: { type: T; action: Action<T>; name: SQL; groups?: SQL },
): SQL {
  // No alias that the statement around it may use for a table of its own: the columns given are that table's.
  return sql`exists (select 1 from ${standing(subject, orgId)} standing where standing.super_admin or standing.member and exists (
    select 1 from ${grants(subject, orgId)} p where ${covers(type, action)} and ${targets(name, groups)}))`;
}
