/** Looks at one row: whether the workflow behind it is still to be open. */
import { sql } from "drizzle-orm";
import { parsePreviewKey, parseTaskKey, type RowKind } from "../../../workflows/ids.ts";
import { repositoryHashOf } from "../../core/stacks/previewName.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { CASCADING, CHECKED, LIVE_DEPLOYMENT, LIVE_RUN, SCHEDULED } from "./liveRow.ts";

/** Whether the row behind a workflow is live now. */
export async function isLive(db: Queryable, kind: RowKind, id: string): Promise<boolean> {
  if (kind === "preview") return isPreviewLive(db, id);
  if (kind === "scmEvent") {
    const open = await db.execute(
      sql`select 1 from scm_events where branch_key = ${id} and status in ('pending', 'failed') limit 1`,
    );
    return open.length > 0;
  }
  if (kind === "task") return isTaskLive(db, id);
  if (kind === "notification") {
    const pending = await db.execute(
      sql`select 1 from notification_deliveries where id = ${id} and status = 'pending'`,
    );
    return pending.length > 0;
  }
  if (kind === "cascade") {
    return (await db.execute(sql`select 1 from deployments d where d.id = ${id} and ${CASCADING}`)).length > 0;
  }
  if (kind === "drift") {
    return (await db.execute(sql`select 1 from organizations o where o.id = ${id} and ${CHECKED}`)).length > 0;
  }
  if (kind === "schedules") {
    return (await db.execute(sql`select 1 from organizations o where o.id = ${id} and ${SCHEDULED}`)).length > 0;
  }
  const rows = await db.execute(
    kind === "deployment"
      ? sql`select 1 from deployments d where d.id = ${id} and ${LIVE_DEPLOYMENT}`
      : sql`select 1 from runs r where r.id = ${id} and ${LIVE_RUN}`,
  );
  return rows.length > 0;
}

async function isTaskLive(db: Queryable, key: string): Promise<boolean> {
  const name = parseTaskKey(key);
  if (name === null) return false;
  const rows = await db.execute(sql`
    select 1 from org_tasks where kind = ${name.kind} and subject_key = ${name.subjectKey} and status = 'pending'`);
  return rows.length > 0;
}

async function isPreviewLive(db: Queryable, key: string): Promise<boolean> {
  const name = parsePreviewKey(key);
  if (name === null) return false;
  const rows = await db.execute(sql`
    select 1 from pull_request_stacks l join pull_requests p on p.id = l.pull_request_id
    where l.stack_key = ${name.stackKey} and p.number = ${name.number}
      and ${repositoryHashOf(sql`p.repository_key`)} = ${name.repositoryHash}`);
  return rows.length > 0;
}
