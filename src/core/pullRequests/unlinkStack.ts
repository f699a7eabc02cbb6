/**
 * A stack that is deleted, or whose code comes from elsewhere now, has nothing to do with its pull requests any more.
 */
import { sql } from "drizzle-orm";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { Work } from "../../work/unitOfWork.ts";
import { lockLane } from "../deployments/lane.ts";
import { withdrawPreview } from "../deployments/transitions/withdrawPreview.ts";
import { writeChange } from "../deployments/writeChange.ts";
import { type PreviewSubject, previewMessage } from "../stacks/previewName.ts";
import type { stacks } from "../stacks/schema.ts";
import { lockStacks } from "./projection.ts";

/** No pull request touches the stack, which is locked, any more; their workflows for it end. */
export async function unlinkStack({ tx, messages }: Work, stackKey: string): Promise<void> {
  const left = await tx.execute<PreviewSubject>(sql`
    delete from pull_request_stacks l using pull_requests p where p.id = l.pull_request_id and l.stack_key = ${stackKey}
    returning p.org_id as "orgId", l.stack_key as "stackKey", p.repository_key as "repositoryKey", p.number`);
  messages.push(...left.map((subject) => previewMessage(subject, "closed")));
}

/**
 * Nobody asks the host about stacks that lost their integration any more, so nothing would ever end what they have:
 * they leave their pull requests, and previews that have not ended are taken back.
 * @param lost says of a repository's address whether an integration served it before and none does now
 */
export async function unlinkUnserved(
  work: Work,
  orgId: string,
  lost: (repositoryUrl: string) => boolean,
): Promise<void> {
  const rows = await work.tx.execute<SqlRow<typeof stacks, "stack_key" | "repository_url">>(sql`
    select s.stack_key, s.repository_url from stacks s
    where s.org_id = ${orgId} and s.deleted_at is null and (
      exists (select 1 from pull_request_stacks l where l.stack_key = s.stack_key)
      or exists (select 1 from deployments d where d.stack_key = s.stack_key and d.origin_type = 'pull_request'
        and d.status not in ('finished', 'failed', 'cancelled', 'skipped')))
    order by s.stack_key`);
  const keys = rows.filter(({ repository_url }) => lost(repository_url)).map(({ stack_key }) => stack_key);
  await lockStacks(work.tx, keys);
  for (const key of keys) {
    await unlinkStack(work, key);
    await retractPreviews(work, key);
  }
}

/** Take back the previews that have not ended. */
export async function retractPreviews(work: Work, stackKey: string): Promise<void> {
  const rows = await work.tx.execute<{ id: string }>(sql`
    select id from deployments where stack_key = ${stackKey} and origin_type = 'pull_request'
      and status not in ('finished', 'failed', 'cancelled', 'skipped') order by id`);
  for (const { id } of rows) {
    const lane = await lockLane(work.tx, id);
    const change = lane && withdrawPreview(lane, "retracted");
    if (lane && change) await writeChange(work, lane, change);
  }
}
