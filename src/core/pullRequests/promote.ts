/**
 * Promotion: a deployment of exactly the commit whose preview people have looked at
 * (docs/rules/pull-requests.md#promotion).
 */
import { sql } from "drizzle-orm";
import type { Principal } from "../../http/principal.ts";
import type { Queryable, Tx } from "../../platform/db/client.ts";
import { findUse, type IdempotencyScope, storeUse, takeKey } from "../../work/idempotency/keys.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import { readDeployment } from "../deployments/resource.ts";
import type { DeploymentResource } from "../deployments/resourceSchema.ts";
import { createDeployment } from "../deployments/transitions/create.ts";
import type { StackRow } from "../stacks/schema.ts";
import { AlreadyDeployedError } from "./errors.ts";
import type { CommitHost } from "./host.ts";
import { originOf } from "./origin.ts";
import { assertPromotable, type Candidate, hasMoved } from "./promotable.ts";

export type Promotion = {
  principal: Principal;
  /** Authorized for (stack, deploy). */
  stack: StackRow;
  number: number;
  idempotency: IdempotencyScope | null;
};

/** How often the stack may move between the question to the host and the answer's use. */
const TRIES = 3;

/**
 * Create a plan deployment of the reviewed head. The host is asked outside the transaction whether the stack is past that
 * commit; under the locks everything is looked at again, and the host asked once more when the stack has moved.
 * @throws NotFoundError when no open pull request of this number touches the stack; RequirementsNotMetError,
 * PreviewNotFinishedError, AlreadyDeployedError; what the host throws
 */
export async function promote(service: Service, host: CommitHost, promotion: Promotion): Promise<DeploymentResource> {
  const { stack, number, idempotency } = promotion;
  const earlier = idempotency && (await findUse(service.db, idempotency));
  if (earlier?.answer) return earlier.answer as DeploymentResource;
  await service.preflight?.(stack.stackKey);
  for (let tried = 1; ; tried++) {
    const before = assertPromotable(await findCandidate(service.db, stack.stackKey, number), stack.prRequirements);
    await assertAhead(host, stack, before);
    const created = await unitOfWork(service, (work) => createIfUnmoved(work, promotion, before));
    if (created) return created;
    if (tried === TRIES) throw new AlreadyDeployedError();
  }
}

/** Null when the stack was given another commit since `before` was read: then the host has to be asked again. */
async function createIfUnmoved(
  work: Work,
  promotion: Promotion,
  before: Candidate,
): Promise<DeploymentResource | null> {
  const { principal, stack, number, idempotency } = promotion;
  const use = idempotency && (await takeKey(work.tx, idempotency));
  if (use?.answer) return use.answer as DeploymentResource;
  await lock(work.tx, stack.stackKey, before.id);
  const candidate = assertPromotable(await findCandidate(work.tx, stack.stackKey, number), stack.prRequirements);
  if (hasMoved(before, candidate)) return null;
  const { id } = await createDeployment(work, {
    stackKey: stack.stackKey,
    mode: "plan",
    commitSha: candidate.head_sha,
    originType: "promoted_pull_request",
    pullRequest: originOf(candidate, null),
    actor: { id: principal.id, kind: principal.kind },
  });
  const resource = await readDeployment(work.tx, principal, id);
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
    select p.*, d.status as latest_status, d.origin_pr_generation as latest_generation, d.origin_head_sha as latest_sha,
      (select case when n.mode = 'destroy' then null else n.commit_sha end from deployments n
        where n.stack_key = l.stack_key and n.mode in ('plan', 'destroy') and n.status not in ('failed', 'cancelled', 'skipped')
        order by n.created_at desc, n.id desc limit 1) as stack_commit
    from pull_request_stacks l join pull_requests p on p.id = l.pull_request_id
    join stacks s on s.stack_key = l.stack_key and s.repository_key = p.repository_key and s.branch = p.base_branch
    left join deployments d on d.id = l.latest_deployment_id and d.working_directory = s.working_directory
    where l.stack_key = ${stackKey} and p.number = ${number} limit 1`);
  return row ?? null;
}

/** A commit that the stack's own already holds would take the stack back. */
async function assertAhead(host: CommitHost, stack: StackRow, { head_sha, stack_commit }: Candidate): Promise<void> {
  if (stack_commit === null) return;
  if (stack_commit === head_sha) throw new AlreadyDeployedError();
  const { orgId, repositoryKey } = stack;
  if (await host.contains({ orgId, repositoryKey }, stack_commit, head_sha)) throw new AlreadyDeployedError();
}
