/**
 * Lookup and check of one runner group or runner in one statement; every denial is the uniform 404
 * (docs/rules/permissions.md#the-uniform-404).
 */
import { and, eq, sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import { permitted } from "../../people/authorization/grants.ts";
import type { Action } from "../../people/authorization/matrix.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { type RunnerGroupRow, runnerGroups, runners } from "./schema.ts";

/** @throws NotFoundError */
export async function authorizeGroup(
  db: Queryable,
  subject: Subject,
  orgId: string,
  groupId: string,
  action: Action<"runner_group">,
): Promise<RunnerGroupRow> {
  requireUuids(orgId, groupId);
  const allowed = permitted(subject, orgId, { type: "runner_group", action, name: sql`${runnerGroups.name}` });
  const rows = await db
    .select()
    .from(runnerGroups)
    .where(and(eq(runnerGroups.orgId, orgId), eq(runnerGroups.id, groupId), allowed));
  return requireRow(rows);
}

/** A runner is known by the name of its group. @throws NotFoundError */
export async function authorizeRunner(
  db: Queryable,
  subject: Subject,
  orgId: string,
  runnerId: string,
  action: Action<"runner">,
): Promise<{ id: string }> {
  requireUuids(orgId, runnerId);
  const allowed = permitted(subject, orgId, { type: "runner", action, name: sql`${runnerGroups.name}` });
  const rows = await db
    .select({ id: runners.id })
    .from(runners)
    .innerJoin(runnerGroups, eq(runnerGroups.id, runners.groupId))
    .where(and(eq(runners.orgId, orgId), eq(runners.id, runnerId), allowed));
  return requireRow(rows);
}
