/**
 * The check: may this subject do this action on this resource? One statement
 * (docs/rules/permissions.md#one-check-one-statement).
 */
import { type SQL, sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { isUuid } from "../../platform/ids/uuid.ts";
import { NotFoundError, ProblemError } from "../../platform/problems/problem.ts";
import { grants, standing, targets } from "./grants.ts";
import { type Action, assertPair, type ResourceType } from "./matrix.ts";

export type Check<T extends ResourceType = ResourceType> = {
  [R in T]: {
    type: R;
    action: Action<R>;
    /**
     * The name people know the resource by; on create the proposed one. Absent for families without single resources.
     */
    resourceId?: string;
    /** The stack's authorization groups; on create the request's. Absent: no group grant can match. */
    resourceGroups?: readonly string[];
  };
}[T];

export type Decision =
  | { granted: true; superAdmin: boolean }
  | { granted: false; reason: "not_member" | "no_permission" };

/** Denied on an organization-level or family-level route (docs/rules/permissions.md#the-uniform-404). */
export class ForbiddenError extends ProblemError {
  constructor(detail = "You are not allowed to do this in this organization.") {
    super({ status: 403, code: "forbidden", detail });
  }
}

/** Decide one check. @throws InvalidPermissionError for a pair outside the matrix. */
export async function authorize(db: Queryable, subject: Subject, check: Check & { orgId: string }): Promise<Decision> {
  const [decision] = await authorizeAll(db, subject, check.orgId, [check]);
  return decision!;
}

/**
 * Decide several checks in one organization with one statement; the answers are in the order of the checks. It never
 * looks at whether the resource exists: that it belongs to the organization is for the caller to verify.
 */
export async function authorizeAll(
  db: Queryable,
  subject: Subject,
  orgId: string,
  checks: readonly Check[],
): Promise<Decision[]> {
  for (const { type, action } of checks) assertPair(type, action);
  if (!isUuid(orgId)) return checks.map(() => ({ granted: false, reason: "not_member" }));
  const query = checks.length === 1 ? decideOne(subject, orgId, checks[0]!) : decideEach(subject, orgId, checks);
  const rows = await db.execute<Standing>(query);
  return checks.map((_, i) => {
    const row = rows[i];
    if (row?.granted) return { granted: true, superAdmin: row.super_admin === true };
    return { granted: false, reason: row?.member ? "no_permission" : "not_member" };
  });
}

/** All null, or no row at all, for a subject that does not exist or is disabled. */
type Standing = { super_admin: boolean | null; member: boolean | null; granted: boolean | null };

/** The common case by itself: a list of checks to unpack would cost a third of the statement. */
function decideOne(subject: Subject, orgId: string, { type, action, resourceId, resourceGroups }: Check): SQL {
  const name = sql`${resourceId ?? ""}::text`;
  const groups = resourceGroups === undefined ? sql`null::text[]` : sql`${sql.param([...resourceGroups])}::text[]`;
  return sql`
    select s.super_admin, s.member, s.super_admin or s.member and exists (
      select 1 from ${grants(subject, orgId)} p
      where p.resource_type in (${type}, '*') and p.action in (${action}, '*') and ${targets(name, groups)}) as granted
    from ${standing(subject, orgId)} s`;
}

function decideEach(subject: Subject, orgId: string, checks: readonly Check[]): SQL {
  const questions = checks.map((c, i) => ({
    i,
    type: c.type,
    action: c.action,
    name: c.resourceId ?? "",
    groups: c.resourceGroups ?? null,
  }));
  return sql`
    select s.super_admin, s.member, s.super_admin or s.member and exists (
      select 1 from ${grants(subject, orgId)} p
      where p.resource_type in (c.type, '*') and p.action in (c.action, '*') and ${targets(sql`c.name`, sql`c.groups`)}) as granted
    from jsonb_to_recordset(${JSON.stringify(questions)}::jsonb) as c (i int, type text, action text, name text, groups text[])
    left join ${standing(subject, orgId)} s on true order by c.i`;
}

/**
 * First statement of an organization-level or family-level use case. @throws ForbiddenError when any check is denied.
 */
export async function requireOrg(
  db: Queryable,
  subject: Subject,
  orgId: string,
  ...checks: Check[]
): Promise<{ superAdmin: boolean }> {
  const decisions = await authorizeAll(db, subject, orgId, checks);
  if (decisions.some((decision) => !decision.granted)) throw new ForbiddenError();
  return { superAdmin: decisions.every((decision) => decision.granted && decision.superAdmin) };
}

/**
 * For further permissions that a write to one resource needs.
 * @throws NotFoundError, the uniform 404, when any is denied.
 */
export async function requireResource(
  db: Queryable,
  subject: Subject,
  orgId: string,
  ...checks: Check[]
): Promise<void> {
  const decisions = await authorizeAll(db, subject, orgId, checks);
  if (decisions.some((decision) => !decision.granted)) throw new NotFoundError();
}
