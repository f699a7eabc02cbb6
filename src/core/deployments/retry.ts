/**
 * Retry a deployment that ended: a new one on the same commit, with the old one's snapshot and targets
 * (docs/rules/deployments.md#retrying).
 */
import { sql } from "drizzle-orm";
import type { Principal } from "../../http/principal.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Queryable, Tx } from "../../platform/db/client.ts";
import { findUse, type IdempotencyScope, storeUse, takeKey } from "../../work/idempotency/keys.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { inheritMakers } from "../approvals/inheritMakers.ts";
import { copiedCommand } from "./rawCommands/rawCommand.ts";
import { readDeployment } from "./resource.ts";
import type { DeploymentResource } from "./resourceSchema.ts";
import {
  assertRetriable,
  assertStillTheRequests,
  originOf,
  type RequestLink,
  type Retried,
  RetryConflictError,
} from "./retriable.ts";
import { createDeployment } from "./transitions/create.ts";

/** Another deployment of the same stack and commit this recently makes a retry a slip of the finger. */
const DEBOUNCE = "5 seconds";

/**
 * Create the retry. The caller has authorized it as a creation.
 * @throws RetryConflictError for a deployment that has not ended, a local one, one of a pull request that has gone on
 * or is closed, and one of the same stack and commit made less than 5 s ago
 */
export async function retryDeployment(
  service: Service,
  keyring: Keyring,
  principal: Principal,
  { id: deploymentId, stackKey }: { id: string; stackKey: string },
  idempotency: IdempotencyScope | null,
): Promise<DeploymentResource> {
  const earlier = idempotency && (await findUse(service.db, idempotency));
  if (earlier?.answer) return earlier.answer as DeploymentResource;
  // What is refused anyway is refused before the cloud is asked.
  await assertMayBeRetried(service.db, await findRetried(service.db, deploymentId));
  await service.preflight?.(stackKey);
  return unitOfWork(service, async (work) => {
    const use = idempotency && (await takeKey(work.tx, idempotency));
    if (use?.answer) return use.answer as DeploymentResource;
    const retried = await lockRetried(work.tx, deploymentId);
    await assertMayBeRetried(work.tx, retried);
    const { id } = await createDeployment(work, {
      stackKey: retried.stack_key,
      mode: retried.mode,
      commitSha: retried.commit_sha,
      commitMessage: retried.commit_message,
      commitAuthor: retried.commit_author,
      // A person who tries again what a lifetime began decides for themselves.
      originType: retried.origin_type === "lifetime" ? "manual" : retried.origin_type,
      provenance: retried.provenance,
      needsPerson: retried.needs_person,
      targets: retried.targets,
      excludes: retried.excludes,
      replaces: retried.replaces,
      source: { kept: retried },
      command: retried.mode === "raw" ? await copiedCommand(work.tx, keyring, deploymentId) : null,
      ...originOf(retried),
      actor: { id: principal.id, kind: principal.kind },
    });
    await inheritMakers(work.tx, deploymentId, id, false);
    if (retried.origin_type === "pull_request") await becomeLatest(work.tx, retried, id);
    const resource = await readDeployment(work.tx, principal, id);
    if (idempotency) await storeUse(work.tx, idempotency, { answer: resource });
    return resource;
  });
}

/**
 * The pull request, then the stack, so that two retries at once are one after the other; then the deployment as it is
 * under those locks.
 */
async function lockRetried(tx: Tx, deploymentId: string): Promise<Retried> {
  await tx.execute(sql`
    select 1 from pull_requests where id = (select pull_request_id from deployments where id = ${deploymentId}) for no key update`);
  await tx.execute(sql`
    select 1 from stacks where stack_key = (select stack_key from deployments where id = ${deploymentId}) for no key update`);
  return findRetried(tx, deploymentId);
}

async function findRetried(db: Queryable, deploymentId: string): Promise<Retried> {
  const [row] = await db.execute<Retried>(sql`
    select d.*, coalesce(r.targets, '{}') as targets, coalesce(r.excludes, '{}') as excludes, coalesce(r.replaces, '{}') as replaces
    from deployments d left join lateral (select * from runs where deployment_id = d.id order by id limit 1) r on true
    where d.id = ${deploymentId}`);
  if (!row) throw new Error(`deployment ${deploymentId} does not exist`);
  return row;
}

/** @throws RetryConflictError */
async function assertMayBeRetried(db: Queryable, retried: Retried): Promise<void> {
  assertRetriable(retried);
  if (retried.pull_request_id) assertStillTheRequests(retried, await findLink(db, retried));
  await debounce(db, retried);
}

async function findLink(tx: Queryable, { pull_request_id, stack_key }: Retried): Promise<RequestLink | undefined> {
  const [link] = await tx.execute<RequestLink>(sql`
    select l.latest_deployment_id, p.generation from pull_request_stacks l join pull_requests p on p.id = l.pull_request_id
    where l.pull_request_id = ${pull_request_id} and l.stack_key = ${stack_key}`);
  return link;
}

async function becomeLatest(tx: Tx, { pull_request_id, stack_key }: Retried, id: string): Promise<void> {
  await tx.execute(sql`
    update pull_request_stacks set latest_deployment_id = ${id}
    where pull_request_id = ${pull_request_id} and stack_key = ${stack_key}`);
}

async function debounce(tx: Queryable, { id, stack_key, commit_sha }: Retried): Promise<void> {
  const newer = await tx.execute(sql`
    select 1 from deployments where stack_key = ${stack_key} and commit_sha = ${commit_sha} and id <> ${id}
      and created_at > svc_now() - ${DEBOUNCE}::interval limit 1`);
  if (newer.length > 0) throw new RetryConflictError("This commit was deployed on this stack less than 5 seconds ago.");
}
