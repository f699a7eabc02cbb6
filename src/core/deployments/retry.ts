/**
 * Retry a deployment that ended: a new one on the same commit, with the old one's snapshot and targets
 * (docs/rules/deployments.md#retrying).
 */
import { sql } from "drizzle-orm";
import type { Principal } from "../../http/principal.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Tx } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { findUse, type IdempotencyScope, storeUse, takeKey } from "../../work/idempotency/keys.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import type { runs } from "../runs/schema.ts";
import { isTerminal } from "./lifecycle.ts";
import { copyRawCommand } from "./rawCommands/rawCommand.ts";
import { readDeployment } from "./resource.ts";
import type { DeploymentResource } from "./resourceSchema.ts";
import type { deployments } from "./schema.ts";
import { createDeployment, type DependencyOrigin, type PullRequestOrigin } from "./transitions/create.ts";

/** Another deployment of the same stack and commit this recently makes a retry a slip of the finger. */
const DEBOUNCE = "5 seconds";

class RetryConflictError extends ProblemError {
  constructor(detail: string) {
    super({ status: 409, code: "conflict", detail });
  }
}

type Retried = SqlRow<typeof deployments> & SqlRow<typeof runs, "targets" | "excludes" | "replaces">;

/**
 * Create the retry. The caller has authorized it as a creation.
 * @throws RetryConflictError for a deployment that has not ended, a local one, one of a pull request that has gone on or is
 * closed, and one of the same stack and commit made less than 5 s ago
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
  await service.preflight?.(stackKey);
  return unitOfWork(service, async (work) => {
    const use = idempotency && (await takeKey(work.tx, idempotency));
    if (use?.answer) return use.answer as DeploymentResource;
    const retried = await lockRetried(work.tx, deploymentId);
    if (!isTerminal(retried.status)) throw new RetryConflictError("Only a deployment that has ended can be retried.");
    if (retried.origin_type === "local")
      throw new RetryConflictError("A local plan cannot be retried; upload its source again.");
    if (retried.pull_request_id) await assertStillTheRequests(work.tx, retried);
    await debounce(work.tx, retried);
    const { id } = await createDeployment(work, {
      stackKey: retried.stack_key,
      mode: retried.mode,
      commitSha: retried.commit_sha,
      commitMessage: retried.commit_message,
      commitAuthor: retried.commit_author,
      originType: retried.origin_type,
      targets: retried.targets,
      excludes: retried.excludes,
      replaces: retried.replaces,
      snapshot: retried,
      ...originOf(retried),
      actor: { id: principal.id, kind: principal.kind },
    });
    if (retried.mode === "raw") await copyRawCommand(work.tx, keyring, deploymentId, id);
    if (retried.origin_type === "pull_request") await becomeLatest(work.tx, retried, id);
    const resource = await readDeployment(work.tx, principal, id);
    if (idempotency) await storeUse(work.tx, idempotency, { answer: resource });
    return resource;
  });
}

/**
 * The pull request, then the stack, so that two retries at once are one after the other; then the deployment as it is under
 * those locks.
 */
async function lockRetried(tx: Tx, deploymentId: string): Promise<Retried> {
  await tx.execute(sql`
    select 1 from pull_requests where id = (select pull_request_id from deployments where id = ${deploymentId}) for no key update`);
  await tx.execute(sql`
    select 1 from stacks where stack_key = (select stack_key from deployments where id = ${deploymentId}) for no key update`);
  const [row] = await tx.execute<Retried>(sql`
    select d.*, coalesce(r.targets, '{}') as targets, coalesce(r.excludes, '{}') as excludes, coalesce(r.replaces, '{}') as replaces
    from deployments d left join lateral (select * from runs where deployment_id = d.id order by id limit 1) r on true
    where d.id = ${deploymentId}`);
  if (!row) throw new Error(`deployment ${deploymentId} does not exist`);
  return row;
}

/** A preview must be the request's latest on this stack; a promoted one must be of the head that is reviewed now. */
async function assertStillTheRequests(tx: Tx, retried: Retried): Promise<void> {
  const [row] = await tx.execute<{ latest_deployment_id: string | null; generation: number }>(sql`
    select l.latest_deployment_id, p.generation from pull_request_stacks l join pull_requests p on p.id = l.pull_request_id
    where l.pull_request_id = ${retried.pull_request_id} and l.stack_key = ${retried.stack_key}`);
  if (!row) throw new RetryConflictError("The pull request is closed, or does not touch the stack any more.");
  const latest = retried.origin_type !== "pull_request" || row.latest_deployment_id === retried.id;
  if (!latest || row.generation !== retried.origin_pr_generation) {
    throw new RetryConflictError(
      "The pull request has a newer deployment or another head; this one is not its latest.",
    );
  }
}

function originOf(retried: Retried): { pullRequest?: PullRequestOrigin; dependency?: DependencyOrigin } {
  const { origin_dependency_deployment_id: parent, cascade_stack_path: stackPath } = retried;
  if (parent !== null) return { dependency: { deploymentId: parent, stackPath } };
  if (retried.pull_request_id === null) return {};
  return {
    pullRequest: {
      id: retried.pull_request_id,
      number: retried.origin_pr_number ?? 0,
      generation: retried.origin_pr_generation ?? 0,
      headSha: retried.origin_head_sha ?? retried.commit_sha,
      title: retried.origin_pr_title ?? "",
      url: retried.origin_pr_url ?? "",
      body: retried.origin_pr_body ?? "",
      eventId: retried.origin_scm_event_id,
    },
  };
}

async function becomeLatest(tx: Tx, { pull_request_id, stack_key }: Retried, id: string): Promise<void> {
  await tx.execute(sql`
    update pull_request_stacks set latest_deployment_id = ${id}
    where pull_request_id = ${pull_request_id} and stack_key = ${stack_key}`);
}

async function debounce(tx: Tx, { id, stack_key, commit_sha }: Retried): Promise<void> {
  const recent = await tx.execute(sql`
    select 1 from deployments where stack_key = ${stack_key} and commit_sha = ${commit_sha} and id <> ${id}
      and created_at > svc_now() - ${DEBOUNCE}::interval limit 1`);
  if (recent.length > 0)
    throw new RetryConflictError("This commit was deployed on this stack less than 5 seconds ago.");
}
