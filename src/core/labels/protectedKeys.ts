/** Label keys whose change needs a permission of its own (docs/rules/permissions.md#protected-labels). */
import { asc, eq, sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { type Check, requireOrg } from "../../people/authorization/authorize.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { isUuid } from "../../platform/ids/uuid.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { protectedLabels } from "./schema.ts";

type Labels = Readonly<Record<string, string>>;

/** The protected keys in code-point order. Needs (label, read). @throws ForbiddenError */
export async function readProtectedKeys(db: Queryable, subject: Subject, orgId: string): Promise<string[]> {
  await requireOrg(db, subject, orgId, { type: "label", action: "read" });
  return isUuid(orgId) ? protectedKeys(db, orgId) : [];
}

/**
 * Replace the whole set. Needs (label, create). Labels that stacks already have stay as they are.
 * @throws ForbiddenError, NotFoundError when a super-admin names no organization
 */
export async function replaceProtectedKeys(
  service: Service,
  subject: Subject,
  orgId: string,
  keys: readonly string[],
): Promise<string[]> {
  await requireOrg(service.db, subject, orgId, { type: "label", action: "create" });
  requireUuids(orgId);
  return unitOfWork(service, async ({ tx }) => {
    // One writer at a time, or two sets given at once would end as their union.
    requireRow(await tx.execute(sql`select 1 from organizations where id = ${orgId} for no key update`));
    const before = await protectedKeys(tx, orgId);
    const added = keys.filter((key) => !before.includes(key));
    const removed = before.filter((key) => !keys.includes(key));
    if (added.length + removed.length === 0) return before;
    await tx.delete(protectedLabels).where(eq(protectedLabels.orgId, orgId));
    if (keys.length > 0) await tx.insert(protectedLabels).values(keys.map((key) => ({ orgId, key })));
    await recordAudit(tx, { orgId, actor: subject, action: "protected_labels.replace", details: { added, removed } });
    return protectedKeys(tx, orgId);
  });
}

/**
 * What a stack write needs for its labels: (label, update, key) for each protected key that it adds, changes or
 * removes. A label that it leaves alone needs nothing, even when the key became protected since.
 */
export async function labelChecks(db: Queryable, orgId: string, before: Labels, after: Labels): Promise<Check[]> {
  const changed = changedKeys(before, after);
  if (changed.length === 0 || !isUuid(orgId)) return [];
  const guarded = new Set(await protectedKeys(db, orgId));
  return keyChecks(changed.filter((key) => guarded.has(key)));
}

/**
 * The same where labels of runner groups stand outside the stack's labels: they select as those under the prefix do, so
 * they are guarded by the same keys.
 */
export async function runnerLabelChecks(
  db: Queryable,
  orgId: string,
  before: Labels | null | undefined,
  after: Labels | null | undefined,
): Promise<Check[]> {
  return labelChecks(db, orgId, prefixed(before), prefixed(after));
}

function prefixed(labels: Labels | null | undefined): Labels {
  return Object.fromEntries(Object.entries(labels ?? {}).map(([key, value]) => [`svc:runner-group:${key}`, value]));
}

/** (label, update) on each key. */
export function keyChecks(keys: readonly string[]): Check[] {
  return keys.map((key) => ({ type: "label", action: "update", resourceId: key }));
}

/** Keys that only one of the two has, or that they give another value. */
export function changedKeys(before: Labels, after: Labels): string[] {
  const own = (labels: Labels, key: string) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => own(before, key) !== own(after, key)).sort();
}

async function protectedKeys(db: Queryable, orgId: string): Promise<string[]> {
  const rows = await db
    .select({ key: protectedLabels.key })
    .from(protectedLabels)
    .where(eq(protectedLabels.orgId, orgId))
    .orderBy(asc(sql`${protectedLabels.key} collate "C"`));
  return rows.map((row) => row.key);
}
