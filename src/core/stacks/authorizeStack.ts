/**
 * The first statement of every use case below one stack: its lookup and the check together
 * (docs/rules/permissions.md#one-check-one-statement).
 */
import { and, eq, isNull, or, sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import { permitted } from "../../people/authorization/grants.ts";
import type { Action } from "../../people/authorization/matrix.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { type StackRow, stacks } from "./schema.ts";
import { requireSlug } from "./slug.ts";

/**
 * The live stack of this id, if the subject may do `action` on it, in one statement.
 * @throws NotFoundError for a stranger to the organization, a missing stack and a missing permission alike.
 */
export async function authorizeStack(
  db: Queryable,
  subject: Subject,
  orgId: string,
  slug: string,
  action: Action<"stack">,
): Promise<StackRow> {
  return authorizeStackForAny(db, subject, orgId, slug, [action]);
}

/** The same for whoever may do at least one of `actions`. @throws NotFoundError */
export async function authorizeStackForAny(
  db: Queryable,
  subject: Subject,
  orgId: string,
  slug: string,
  actions: readonly [Action<"stack">, ...Action<"stack">[]],
): Promise<StackRow> {
  requireUuids(orgId);
  requireSlug(slug);
  const on = { type: "stack", name: sql`${stacks.name}`, groups: sql`${stacks.authzGroups}` } as const;
  const allowed = or(...actions.map((action) => permitted(subject, orgId, { ...on, action })));
  const rows = await db
    .select()
    .from(stacks)
    .where(and(eq(stacks.orgId, orgId), eq(stacks.slug, slug), isNull(stacks.deletedAt), allowed));
  return requireRow(rows);
}
