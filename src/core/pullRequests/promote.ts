/**
 * Promotion: a deployment of exactly the commit whose preview people have looked at
 * (docs/rules/pull-requests.md#promotion).
 */
import { sql } from "drizzle-orm";
import type * as v from "valibot";
import type { Principal } from "../../http/principal.ts";
import type { Queryable, Tx } from "../../platform/db/client.ts";
import { findUse, type IdempotencyScope, storeUse, takeKey } from "../../work/idempotency/keys.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import { readDeployment } from "../deployments/resource.ts";
import type { DecidedDeployment } from "../deployments/resourceSchema.ts";
import { createDeployment } from "../deployments/transitions/create.ts";
import type { StackRow } from "../stacks/schema.ts";
import { AlreadyDeployedError, StillMovingError } from "./errors.ts";
import type { CommitHost } from "./host.ts";
import { originOf } from "./origin.ts";
import { assertPromotable, type Candidate, hasMoved, warningOf } from "./promotable.ts";

export type Promotion = {
  principal: Principal;
  /** Authorized for (stack, deploy). */
  stack: StackRow;
  number: number;
  /** Also where the plan would take back what the stack's commit holds, or nobody can tell. */
  force: boolean;
  idempotency: IdempotencyScope | null;
};

/** The deployment, and what the caller should know of the commit the stack had. */
type Promoted = v.InferOutput<typeof DecidedDeployment>;

/** How often the host is asked while the stack or the request moves between the question and the answer's use. */
const TRIES = 3;

/**
 * Create a plan deployment of the reviewed head. The host is asked outside the transaction how that commit stands to
 * the stack's; under the locks everything is looked at again, and the host asked once more when one of them has moved.
 * @throws NotFoundError when no open pull request of this number touches the stack; RequirementsNotMetError,
 * PreviewNotFinishedError, AlreadyDeployedError, BaseDivergedError, BaseUnknownError, StillMovingError; what the host
 * throws
 */
export async function promote(service: Service, host: CommitHost, promotion: Promotion): Promise<Promoted> {
  const { stack, number, idempotency } = promotion;
  const earlier = idempotency && (await findUse(service.db, idempotency));
  if (earlier?.answer) return earlier.answer as Promoted;
  for (let tried = 1; ; tried++) {
    const before = assertPromotable(await findCandidate(service.db, stack.stackKey, number));
    // Those outside are asked once it is not refused anyway.
    if (tried === 1) await service.preflight?.(stack.stackKey);
    const warning = await compared(host, before, promotion.force);
    const created = await unitOfWork(service, (work) => createIfUnmoved(work, promotion, before, warning));
    if (created) return created;
    if (tried === TRIES) throw new StillMovingError();
  }
}

/** Null when the host was asked about something else than what is there now, and has to be asked again. */
async function createIfUnmoved(
  work: Work,
  promotion: Promotion,
  before: Candidate,
  warning: string | null,
): Promise<Promoted | null> {
  const { principal, stack, number, idempotency } = promotion;
  const use = idempotency && (await takeKey(work.tx, idempotency));
  if (use?.answer) return use.answer as Promoted;
  await lock(work.tx, stack.stackKey, before.id);
  const candidate = assertPromotable(await findCandidate(work.tx, stack.stackKey, number));
  if (hasMoved(before, candidate)) return null;
  const { id } = await createDeployment(work, {
    stackKey: stack.stackKey,
    mode: "plan",
    commitSha: candidate.head_sha,
    source: { asked: { repository_url: before.repository_url, branch: before.branch } },
    originType: "promoted_pull_request",
    provenance: candidate.is_fork ? "fork" : "pull_request",
    pullRequest: originOf(candidate, null),
    actor: { id: principal.id, kind: principal.kind },
  });
  const deployment = await readDeployment(work.tx, principal, id);
  const resource = { ...deployment, ...(warning !== null && { warning }) };
  if (idempotency) await storeUse(work.tx, idempotency, { answer: resource });
  return resource;
}

/** The pull request, then the stack: the one order. */
async function lock(tx: Tx, stackKey: string, requestId: string): Promise<void> {
  await tx.execute(sql`select 1 from pull_requests where id = ${requestId} for no key update`);
  await tx.execute(sql`select 1 from stacks where stack_key = ${stackKey} for no key update`);
}

/** A preview counts while the request goes where the stack's code comes from, and was of the directory it has now. */
async function findCandidate(db: Queryable, stackKey: string, number: number): Promise<Candidate | null> {
  const [row] = await db.execute<Candidate>(sql`
    select p.*, s.repository_url, s.branch, s.working_directory, s.pr_requirements, d.status as latest_status, d.origin_pr_generation as latest_generation, d.origin_head_sha as latest_sha,
      (select case when n.mode = 'destroy' then null else n.commit_sha end from deployments n
        where n.stack_key = l.stack_key and n.mode in ('plan', 'destroy') and n.status not in ('failed', 'cancelled', 'skipped')
        order by n.created_at desc, n.id desc limit 1) as stack_commit
    from pull_request_stacks l join pull_requests p on p.id = l.pull_request_id
    join stacks s on s.stack_key = l.stack_key and s.repository_key = p.repository_key and s.branch = p.base_branch
    left join deployments d on d.id = l.latest_deployment_id and d.working_directory = s.working_directory
    where l.stack_key = ${stackKey} and p.number = ${number} limit 1`);
  return row ?? null;
}

/** @returns what the caller should know, or null */
async function compared(host: CommitHost, before: Candidate, force: boolean): Promise<string | null> {
  const { org_id: orgId, repository_key: repositoryKey, head_sha, stack_commit } = before;
  if (stack_commit === null) return null;
  if (stack_commit === head_sha) throw new AlreadyDeployedError();
  return warningOf(await host.standing({ orgId, repositoryKey }, head_sha, stack_commit), before, force);
}
