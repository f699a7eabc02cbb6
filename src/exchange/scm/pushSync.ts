/**
 * A push brings the stacks of its branch up to the branch's head (docs/rules/source-control.md#pushes). The host is
 * asked for the head and for what changed; the delivery only says when to ask.
 */
import { sql } from "drizzle-orm";
import { createDeployment } from "../../core/deployments/transitions/create.ts";
import { touches } from "../../core/pullRequests/plan.ts";
import type { stacks } from "../../core/stacks/schema.ts";
import { recordStackEvent } from "../../core/stacks/stackEvent.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import type { Commit } from "./host/commits.ts";
import { HostError } from "./host/errors.ts";
import { containsCommit } from "./host/ports.ts";
import type { RepositoryHost } from "./host/repositoryHost.ts";
import type { InboxBranch } from "./inbox.ts";
import { integrationsInOrder } from "./integrations.ts";
import { firstMatch } from "./urlPattern.ts";

export type Push = {
  /**
   * Of the oldest push that waits: what a stack is compared with that was never compared. Null: there was no commit.
   */
  before: string | null;
  /** Of the newest push that waits. */
  after: string | null;
  /** The inbox row that the deployments name. */
  eventId: string | null;
  /** Whether an earlier try found the host behind the delivery. */
  retried: boolean;
};

type ComparedStack = SqlRow<
  typeof stacks,
  "stack_key" | "repository_url" | "branch" | "working_directory" | "deploy_on_push" | "last_compared_commit"
>;
type BranchStack = ComparedStack & SqlRow<typeof stacks, "org_id" | "slug" | "name">;

/** Stacks of one push in one transaction; a repository with hundreds must not lock them all at once. */
const BATCH = 50;

/** @throws HostError when the host fails, for a later try; what was stored by then stays and is not done again */
export async function syncPush(
  service: Service,
  repository: RepositoryHost,
  branch: InboxBranch,
  push: Push,
): Promise<{ synced: number }> {
  const stacks = await branchStacks(service, branch);
  if (stacks.length === 0) return { synced: 0 };
  const head = await repository.head(branch.branch);
  await assertNotBehind(repository, head, push);
  // Deleted meanwhile: there is nothing to deploy.
  if (head === null) return { synced: 0 };
  let synced = await bringTo(service, repository, head, stacks, push);
  // A stack that somebody changed between the look and the lock is looked at again.
  const again = (await branchStacks(service, branch)).filter((stack) => stack.last_compared_commit !== head.sha);
  if (again.length > 0) synced += await bringTo(service, repository, head, again, push);
  return { synced };
}

async function bringTo(
  service: Service,
  repository: RepositoryHost,
  head: Commit,
  stacks: readonly BranchStack[],
  { before, eventId }: Push,
): Promise<number> {
  const outdated = stacks.filter((stack) => stack.last_compared_commit !== head.sha);
  const touched = await touchedStacks(repository, outdated, head, before);
  let synced = 0;
  for (let from = 0; from < outdated.length; from += BATCH) {
    const batch = outdated.slice(from, from + BATCH);
    synced += await unitOfWork(service, (work) => storeBatch(work, batch, touched, head, eventId));
  }
  return synced;
}

/**
 * A host whose copies are not all up to date may tell the head before the push, or no branch yet. It gets one more
 * chance to know better.
 */
async function assertNotBehind(
  repository: RepositoryHost,
  head: Commit | null,
  { after, retried }: Push,
): Promise<void> {
  if (after === null || after === head?.sha || retried) return;
  if (head === null || !(await containsCommit(repository, head.sha, after))) throw new HostError("behind");
}

/** Live stacks of the branch whose own address resolves to this integration, by key. */
async function branchStacks({ db }: Service, { orgId, integrationId, repositoryKey, branch }: InboxBranch) {
  const rows = await db.execute<BranchStack>(sql`
    select stack_key, org_id, slug, name, repository_url, branch, working_directory, deploy_on_push, last_compared_commit from stacks
    where org_id = ${orgId} and repository_key = ${repositoryKey} and branch = ${branch} and deleted_at is null
    order by stack_key`);
  if (rows.length === 0) return [];
  const inOrder = await integrationsInOrder(db, orgId);
  return rows.filter(({ repository_url }) => firstMatch(inOrder, repository_url)?.id === integrationId);
}

/**
 * The stacks below whose directory something changed since each was compared last: one comparison for each commit they
 * were compared with. Where the host cannot tell all that changed, every stack counts.
 */
async function touchedStacks(
  repository: RepositoryHost,
  stacks: readonly BranchStack[],
  head: Commit,
  before: string | null,
): Promise<Set<string>> {
  const touched = new Set<string>();
  const byBase = Map.groupBy(stacks, (stack) => stack.last_compared_commit ?? before);
  for (const [base, group] of byBase) {
    const onlyRoots = group.every(({ working_directory }) => working_directory === ".");
    const files = base === null || onlyRoots ? EVERYTHING : await changedFiles(repository, base, head.sha);
    for (const stack of group) if (touches(stack.working_directory, files)) touched.add(stack.stack_key);
  }
  return touched;
}

type Files = { paths: string[]; complete: boolean };
const EVERYTHING: Files = { paths: [], complete: false };

/**
 * A comparison starts from the common ancestor, so after a forced push it does not name what was taken back: the other
 * direction does.
 */
async function changedFiles(repository: RepositoryHost, before: string, after: string): Promise<Files> {
  const forth = await repository.compare(before, after);
  if (forth.outcome !== "compared") return EVERYTHING;
  if (forth.relation === "ahead" || forth.relation === "identical") return forth;
  const back = await repository.compare(after, before);
  if (back.outcome !== "compared") return EVERYTHING;
  return { paths: [...forth.paths, ...back.paths], complete: forth.complete && back.complete };
}

/**
 * One transaction. A stack that another pass has brought on meanwhile, or whose source is another now, is left alone.
 */
async function storeBatch(
  work: Work,
  batch: readonly BranchStack[],
  touched: ReadonlySet<string>,
  head: Commit,
  eventId: string | null,
): Promise<number> {
  const keys = `{${batch.map(({ stack_key }) => stack_key).join(",")}}`;
  const locked = await work.tx.execute<ComparedStack>(sql`
    select stack_key, repository_url, branch, working_directory, last_compared_commit, deploy_on_push from stacks
    where stack_key = any(${keys}::uuid[]) and deleted_at is null order by stack_key for no key update`);
  const now = new Map(locked.map((stack) => [stack.stack_key, stack]));
  const same = batch.filter((stack) => {
    const current = now.get(stack.stack_key);
    return (
      current?.last_compared_commit === stack.last_compared_commit &&
      current.repository_url === stack.repository_url &&
      current.branch === stack.branch &&
      current.working_directory === stack.working_directory
    );
  });
  if (same.length === 0) return 0;
  await work.tx.execute(sql`
    update stacks set last_compared_commit = ${head.sha}
    where stack_key = any(${`{${same.map(({ stack_key }) => stack_key).join(",")}}`}::uuid[])`);
  const synced = same.filter(({ stack_key }) => touched.has(stack_key));
  for (const stack of synced) await sync(work, stack, now.get(stack.stack_key)?.deploy_on_push === true, head, eventId);
  return synced.length;
}

async function sync(
  work: Work,
  stack: BranchStack,
  deploy: boolean,
  { sha, message, author }: Commit,
  eventId: string | null,
): Promise<void> {
  const subject = { orgId: stack.org_id, stackKey: stack.stack_key, slug: stack.slug, name: stack.name };
  await recordStackEvent(work, subject, "stack_synced", null, {
    commit_sha: sha,
    commit_message: message,
    commit_author: author,
  });
  if (!deploy) return;
  // The author of a commit did not ask for the deployment, and may be nobody we know.
  await createDeployment(work, {
    stackKey: stack.stack_key,
    mode: "plan",
    source: { asked: { repository_url: stack.repository_url, branch: stack.branch } },
    commitSha: sha,
    commitMessage: message,
    commitAuthor: author,
    originType: "push",
    provenance: "branch",
    scmEventId: eventId,
    actor: null,
  });
}
