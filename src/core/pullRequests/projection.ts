/**
 * The stored side of the open pull requests of a branch: what is locked, written and read for one answer of the host.
 */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { stacks } from "../stacks/schema.ts";
import type { OpenPullRequest } from "./host.ts";
import type { KnownPreview, StackSettings } from "./plan.ts";
import type { pullRequestStacks, pullRequests, scmBranches } from "./schema.ts";

/** The base branch of a repository in an organization: what the host is asked about. */
export type BaseBranch = { orgId: string; repositoryKey: string; branch: string };

export type StoredRequest = SqlRow<typeof pullRequests>;

export type BranchStack = SqlRow<typeof stacks, "stack_key"> & StackSettings;

export type Facts = {
  /** Live stacks of the branch, by key. */
  stacks: Map<string, BranchStack>;
  /** Stacks a request is linked to, by the request's id. */
  links: Map<string, Set<string>>;
  /** By the request's id, then by stack. */
  previews: Map<string, Map<string, KnownPreview[]>>;
};

/** Longest text kept of a request's description; hosts allow 64 KiB, and every preview keeps a copy. */
const LONGEST_BODY = 10_000;
const LONGEST_TITLE = 1_000;
const LONGEST_REASON = 500;

/** Take the next number of the branch: an answer counts only while its number is the newest. */
export async function takeNumber(
  tx: Pick<Tx, "execute">,
  { orgId, repositoryKey, branch }: BaseBranch,
): Promise<string> {
  const [row] = (await tx.execute(sql`
    insert into scm_branches as b (org_id, repository_key, branch, asked) values (${orgId}, ${repositoryKey}, ${branch}, 1)
    on conflict (org_id, repository_key, branch) do update set asked = b.asked + 1 returning asked`)) as unknown as [
    SqlRow<typeof scmBranches, "asked">,
  ];
  return row.asked;
}

/** Lock the branch's row; false when another ask has taken a newer number. */
export async function lockNewest(
  tx: Tx,
  { orgId, repositoryKey, branch }: BaseBranch,
  asked: string,
): Promise<boolean> {
  const [row] = await tx.execute<SqlRow<typeof scmBranches, "asked">>(sql`
    select asked from scm_branches where org_id = ${orgId} and repository_key = ${repositoryKey} and branch = ${branch}
    for update`);
  return row !== undefined && String(row.asked) === String(asked);
}

/** Lock what an answer may change: the requests of this base, and those of any base that it names. By number. */
export async function lockRequests(
  tx: Tx,
  { orgId, repositoryKey, branch }: BaseBranch,
  numbers: readonly number[],
): Promise<StoredRequest[]> {
  return await tx.execute<StoredRequest>(sql`
    select * from pull_requests where org_id = ${orgId} and repository_key = ${repositoryKey}
      and (base_branch = ${branch} or number = any(${`{${numbers.join(",")}}`}::integer[]))
    order by number for no key update`);
}

/**
 * Write the host's answer. The generation rises when head or base differs from what is stored. A request the stored row
 * of which is newer by the host's own clock is left alone, and is not among those returned.
 */
export async function writeRequests(
  tx: Tx,
  { orgId, repositoryKey }: BaseBranch,
  requests: readonly OpenPullRequest[],
): Promise<StoredRequest[]> {
  if (requests.length === 0) return [];
  const rows = requests.map((request) => ({
    number: request.number,
    title: stored(request.title, LONGEST_TITLE),
    url: stored(request.url, LONGEST_TITLE),
    body: stored(request.body, LONGEST_BODY),
    author: request.author,
    base_branch: request.baseBranch,
    head_branch: request.headBranch,
    head_sha: request.headSha,
    is_fork: request.isFork,
    files_complete: request.files.complete,
    approved: request.approved,
    approved_reason: reasonOf(request.approvedReason),
    mergeable: request.mergeable,
    checks_passed: request.checksPassed,
    checks_reason: reasonOf(request.checksReason),
    host_updated_at: request.updatedAt,
  }));
  return await tx.execute<StoredRequest>(sql`
    insert into pull_requests as p (org_id, repository_key, number, title, url, body, author, base_branch, head_branch, head_sha,
      is_fork, files_complete, approved, approved_reason, mergeable, checks_passed, checks_reason, host_updated_at)
    select ${orgId}, ${repositoryKey}, r.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (number integer, title text,
      url text, body text, author text, base_branch text, head_branch text, head_sha text, is_fork boolean, files_complete boolean,
      approved boolean, approved_reason text, mergeable boolean, checks_passed boolean, checks_reason text, host_updated_at timestamptz) order by r.number
    on conflict (org_id, repository_key, number) do update set title = excluded.title, url = excluded.url, body = excluded.body,
      author = excluded.author, base_branch = excluded.base_branch, head_branch = excluded.head_branch,
      head_sha = excluded.head_sha, is_fork = excluded.is_fork, files_complete = excluded.files_complete,
      approved = excluded.approved, mergeable = excluded.mergeable, checks_passed = excluded.checks_passed,
      approved_reason = excluded.approved_reason, checks_reason = excluded.checks_reason,
      host_updated_at = excluded.host_updated_at, updated_at = svc_now(),
      generation = p.generation
        + case when (p.head_sha, p.base_branch) is distinct from (excluded.head_sha, excluded.base_branch) then 1 else 0 end
    where p.host_updated_at <= excluded.host_updated_at
    returning *`);
}

function reasonOf(text: string | null): string | null {
  return text === null ? null : stored(text, LONGEST_REASON);
}

/** Postgres keeps no NUL in text, and a host's answer may hold one. */
function stored(text: string, longest: number): string {
  return text.replaceAll("\0", "").slice(0, longest).toWellFormed();
}

/**
 * What is decided on, for these requests: read once without locks to find the stacks concerned, and again under theirs.
 */
export async function readFacts(
  tx: Tx,
  { orgId, repositoryKey, branch }: BaseBranch,
  requestIds: readonly string[],
): Promise<Facts> {
  const ids = sql`${`{${requestIds.join(",")}}`}::uuid[]`;
  const stacks = await tx.execute<BranchStack>(sql`
    select stack_key, working_directory, pr_plan_mode, fork_previews, pr_requirements from stacks
    where org_id = ${orgId} and repository_key = ${repositoryKey} and branch = ${branch} and deleted_at is null`);
  const links = await tx.execute<SqlRow<typeof pullRequestStacks, "pull_request_id" | "stack_key">>(sql`
    select pull_request_id, stack_key from pull_request_stacks where pull_request_id = any(${ids})`);
  const previews = await tx.execute<
    KnownPreview & SqlRow<typeof pullRequestStacks, "pull_request_id" | "stack_key">
  >(sql`
    select d.id, d.pull_request_id, d.stack_key, d.origin_pr_generation as generation, d.status, d.skipped_reason,
      d.created_by is null as automatic
    from deployments d join pull_requests p on p.id = d.pull_request_id
    where d.pull_request_id = any(${ids}) and d.origin_type = 'pull_request'
      and (d.origin_pr_generation = p.generation or d.status not in ('finished', 'failed', 'cancelled', 'skipped'))
    order by d.id`);
  const linked = Map.groupBy(links, (link) => link.pull_request_id);
  return {
    stacks: new Map(stacks.map((stack) => [stack.stack_key, stack])),
    links: new Map([...linked].map(([id, rows]) => [id, new Set(rows.map((row) => row.stack_key))])),
    previews: new Map(
      [...Map.groupBy(previews, (preview) => preview.pull_request_id)].map(([id, rows]) => [
        id,
        Map.groupBy(rows, (preview) => preview.stack_key),
      ]),
    ),
  };
}

/** Lock stacks by key, in the one order, after the requests and before their deployments. */
export async function lockStacks(tx: Tx, stackKeys: Iterable<string>): Promise<void> {
  await tx.execute(sql`
    select 1 from stacks where stack_key = any(${`{${[...stackKeys].join(",")}}`}::uuid[]) order by stack_key for no key update`);
}
