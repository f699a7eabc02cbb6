/**
 * What a subject holds in an organization, as SQL that other statements are built around, so that a check never costs a
 * statement of its own where it can ride on another.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Action, ResourceType } from "./matrix.ts";
import { assertPair } from "./matrix.ts";
import type { Subject } from "./subject.ts";

/**
 * One row `(super_admin, member)` for a subject that exists and is enabled, none otherwise. An expired membership counts
 * as absent at once (design 6.2). A service account is at home in its own organization only.
 */
export function standing(subject: Subject, orgId: string): SQL {
  if (subject.kind === "service_account") {
    return sql`(select false as super_admin, a.org_id = ${orgId}::uuid as member from service_accounts a
      where a.id = ${subject.id}::uuid and a.disabled_at is null)`;
  }
  return sql`(select u.is_super_admin as super_admin, exists (
      select 1 from memberships m where m.user_id = u.id and m.org_id = ${orgId}::uuid
        and (m.expires_at is null or m.expires_at > svc_now())) as member
    from users u where u.id = ${subject.id} and u.disabled_at is null)`;
}

/** The ids of the subject's effective roles in the organization. Roles of sign-in bindings are a further `union` here. */
function effectiveRoles(subject: Subject, orgId: string): SQL {
  const holder =
    subject.kind === "user" ? sql`ra.user_id = ${subject.id}` : sql`ra.service_account_id = ${subject.id}::uuid`;
  return sql`select ra.role_id from role_assignments ra where ${holder} and ra.org_id = ${orgId}::uuid`;
}

/** All permissions of the subject in the organization, as rows `(resource_type, action, resource_pattern, authz_group)`. */
export function grants(subject: Subject, orgId: string): SQL {
  // A custom role of another organization grants nothing here, whoever managed to assign it.
  return sql`(select p.resource_type, p.action, p.resource_pattern, p.authz_group
    from role_permissions p join roles r on r.id = p.role_id
    where (r.org_id is null or r.org_id = ${orgId}::uuid) and p.role_id in (${effectiveRoles(subject, orgId)}))`;
}

/** Whether grant row `p` is of this type and action. @throws InvalidPermissionError */
export function covers<T extends ResourceType>(type: T, action: Action<T>): SQL {
  assertPair(type, action);
  return sql`p.resource_type in (${type}, '*') and p.action in (${action}, '*')`;
}

/**
 * Whether grant row `p` targets a resource: untargeted, a pattern on its name, or one of its groups. A patterned grant
 * never satisfies an empty name; null groups match no group grant (spec 5.4).
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
