/**
 * Tells the code host how a preview stands. Only the `prPreview` workflow calls it, one try at a time, so that statuses
 * arrive in order; it has no part in what becomes of the deployment.
 */
import { sql } from "drizzle-orm";
import { parsePreviewKey } from "../../../workflows/ids.ts";
import type { PreviewView, Published } from "../../../workflows/views.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { Joined, SqlRow } from "../../platform/db/sqlRow.ts";
import type { deployments } from "../deployments/schema.ts";
import type { PlanSummary } from "../runs/protocol.ts";
import { repositoryHashOf } from "../stacks/previewName.ts";
import type { stacks } from "../stacks/schema.ts";
import { type Announcement, announce, digestOf } from "./announcement.ts";
import { type PublishingHost, PublishRefused, type Repository } from "./host.ts";
import { type Conditions, type Reasons, reasonOf, unmet } from "./requirements.ts";
import type { pullRequestStacks, pullRequests } from "./schema.ts";

type Row = SqlRow<
  typeof pullRequestStacks,
  "pull_request_id" | "stack_key" | "comment_id" | "published_status" | "status_refusal" | "comment_refusal"
> &
  SqlRow<typeof pullRequests, "org_id" | "repository_key" | "number"> &
  Conditions &
  Reasons &
  SqlRow<typeof stacks, "slug" | "pr_requirements"> &
  Joined<{ deployment_id: string } & SqlRow<typeof deployments, "status" | "skipped_reason" | "error">> & {
    sha: string;
    plan_summary: PlanSummary | null;
  };

export type Publishing = { db: Queryable; host: PublishingHost; publicBaseUrl: string | undefined };

/** Read a pull request on a stack for its workflow; absent reads as closed. One statement. */
export async function previewView(
  { db, publicBaseUrl }: Pick<Publishing, "db" | "publicBaseUrl">,
  key: string,
): Promise<PreviewView> {
  const row = await readRow(db, key);
  if (!row) {
    return { open: false, number: parsePreviewKey(key)?.number ?? 0, stack: "", status: null, unpublished: false };
  }
  const announcement = announcementOf(row, publicBaseUrl);
  return {
    open: true,
    number: row.number,
    stack: row.slug,
    status: row.status,
    unpublished: announcement !== null && publishedText(digestOf(announcement)) !== row.published_status,
  };
}

/**
 * Publish what the rows say now, status first, each on its own: one that the host does not take keeps the other from
 * nothing, unless the host asks to be left alone. What came of each is stored after it, so that a try which broke off
 * goes on where it was. What was refused for good counts as settled until its text changes. A closed request gets
 * nothing more.
 */
export async function publishPreview({ db, host, publicBaseUrl }: Publishing, key: string): Promise<Published> {
  const row = await readRow(db, key);
  const announcement = row && announcementOf(row, publicBaseUrl);
  if (!row || !announcement) return { outcome: "published" };
  const repository: Repository = { orgId: row.org_id, repositoryKey: row.repository_key };
  const { status, marker, comment } = announcement;
  const { number, comment_id: commentId } = row;
  const digests = digestOf(announcement);
  const settled = settledOf(row);
  const sends = {
    status: async () => void (await host.putStatus(repository, status)),
    comment: async () => {
      settled.commentId = await host.putComment(repository, { number, commentId, marker, body: comment });
    },
  };
  let failed: PublishRefused | null = null;
  for (const effect of ["status", "comment"] as const) {
    if (settled.digests[effect] === digests[effect]) continue;
    const refused = await refusalOf(sends[effect]);
    if (refused === null || refused.final) {
      settled.digests[effect] = digests[effect];
      settled.refusals[effect] = refused?.reason ?? null;
      await remember(db, row, settled);
      continue;
    }
    failed ??= refused;
    if (refused.notBeforeMs !== null) break;
  }
  if (failed === null) return { outcome: "published" };
  return { outcome: "failed", notBeforeMs: failed.notBeforeMs, reason: failed.reason };
}

async function refusalOf(send: () => Promise<void>): Promise<PublishRefused | null> {
  try {
    await send();
    return null;
  } catch (error) {
    if (error instanceof PublishRefused) return error;
    throw error;
  }
}

/** What the host was told last, or has refused for good. */
type Settled = {
  digests: Record<Effect, string | null>;
  refusals: Record<Effect, string | null>;
  commentId: string | null;
};
type Effect = "status" | "comment";

/** In place of a digest in the row: nothing yet. */
const NOTHING = "-";

function settledOf({ published_status, status_refusal, comment_refusal, comment_id }: Row): Settled {
  const [status = NOTHING, comment = NOTHING] = published_status?.split(" ") ?? [];
  const known = (digest: string) => (digest === NOTHING ? null : digest);
  return {
    digests: { status: known(status), comment: known(comment) },
    refusals: { status: status_refusal, comment: comment_refusal },
    commentId: comment_id,
  };
}

function publishedText({ status, comment }: Record<Effect, string | null>): string {
  return `${status ?? NOTHING} ${comment ?? NOTHING}`;
}

async function remember(db: Queryable, row: Row, { digests, refusals, commentId }: Settled): Promise<void> {
  await db.execute(sql`
    update pull_request_stacks set published_status = ${publishedText(digests)}, comment_id = ${commentId}::text,
      status_refusal = ${refusals.status}::text, comment_refusal = ${refusals.comment}::text
    where pull_request_id = ${row.pull_request_id} and stack_key = ${row.stack_key}`);
}

function announcementOf(row: Row, base: string | undefined): Announcement | null {
  if (row.deployment_id === null || row.status === null) return null;
  return announce({
    stackSlug: row.slug,
    stackKey: row.stack_key,
    number: row.number,
    deploymentId: row.deployment_id,
    sha: row.sha,
    status: row.status,
    skippedReason: row.skipped_reason,
    error: row.error,
    summary: row.plan_summary,
    unmet: unmet(row.pr_requirements.promote, row).map((condition) => ({
      condition,
      reason: reasonOf(condition, row),
    })),
    link: base === undefined ? null : `${base}/orgs/${row.org_id}/stacks/${row.slug}/deployments/${row.deployment_id}`,
  });
}

async function readRow(db: Queryable, key: string): Promise<Row | null> {
  const name = parsePreviewKey(key);
  if (!name) return null;
  const [row] = await db.execute<Row>(sql`
    select l.pull_request_id, l.stack_key, p.org_id, p.repository_key, p.number, p.approved, p.mergeable, p.checks_passed, p.approved_reason, p.checks_reason,
      s.slug, s.pr_requirements, l.comment_id, l.published_status, l.status_refusal, l.comment_refusal, d.id as deployment_id, d.status,
      coalesce(d.origin_head_sha, p.head_sha) as sha, d.skipped_reason, d.error,
      (select r.plan_summary from runs r where r.deployment_id = d.id order by r.id desc limit 1) as plan_summary
    from pull_request_stacks l join pull_requests p on p.id = l.pull_request_id
    join stacks s on s.stack_key = l.stack_key and s.deleted_at is null
    left join deployments d on d.id = l.latest_deployment_id
    where l.stack_key = ${name.stackKey} and p.number = ${name.number}
      and ${repositoryHashOf(sql`p.repository_key`)} = ${name.repositoryHash}`);
  return row ?? null;
}
