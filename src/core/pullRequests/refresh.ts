/**
 * A person asks for a fresh look at the host: a row of the inbox like a delivery's, worked on by the same workflow
 * (docs/rules/pull-requests.md#a-refresh).
 */
import { and, eq, isNull, sql } from "drizzle-orm";
import * as v from "valibot";
import type { Principal } from "../../http/principal.ts";
import { recordAudit } from "../../people/audit/record.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { requireRow } from "../../platform/problems/requireRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import { type StackRow, stacks } from "../stacks/schema.ts";
import { NoIntegrationError } from "./errors.ts";

/**
 * Puts a row into the inbox of the branch, in the caller's transaction; null when no integration serves the repository.
 */
export type RefreshInbox = (work: Work, stack: StackRow) => Promise<string | null>;

export const RefreshAccepted = v.object({ event_id: v.string() });

export const RefreshEvent = v.nullable(
  v.object({
    id: v.string(),
    status: v.picklist(["pending", "failed"]),
    attempts: v.number(),
    last_error: v.nullable(v.string()),
    created_at: v.pipe(v.string(), v.metadata({ format: "date-time" })),
  }),
);
type RefreshEvent = v.InferOutput<typeof RefreshEvent>;

/** The branch is that of the stack as the transaction finds it. @throws NoIntegrationError, NotFoundError */
export async function requestRefresh(
  service: Service,
  inbox: RefreshInbox,
  { principal, stack }: { principal: Principal; stack: StackRow },
): Promise<{ event_id: string }> {
  return unitOfWork(service, async (work) => {
    const live = and(eq(stacks.stackKey, stack.stackKey), isNull(stacks.deletedAt));
    const id = await inbox(work, requireRow(await work.tx.select().from(stacks).where(live).for("share")));
    if (id === null) throw new NoIntegrationError();
    await recordAudit(work.tx, {
      orgId: stack.orgId,
      actor: principal,
      action: "pull_requests.refresh",
      resourceId: id,
      details: { stack_id: stack.slug },
    });
    return { event_id: id };
  });
}

/** The oldest refresh of the stack's branch that has not come to its end; null when there is none. */
export async function activeRefresh(db: Queryable, { orgId, repositoryKey, branch }: StackRow): Promise<RefreshEvent> {
  const [row] = await db.execute<NonNullable<RefreshEvent>>(sql`
    select id, status, attempts, last_error, created_at from scm_events
    where org_id = ${orgId} and repository_key = ${repositoryKey} and branch = ${branch} and kind = 'pr_refresh_requested'
      and status in ('pending', 'failed')
    order by created_at, id limit 1`);
  return row ? { ...row, created_at: rfc3339(row.created_at) } : null;
}
