/** Retry a deployment that ended (spec 7, design 6.3): a new one on the same commit, with the old one's snapshot and targets. */
import { sql } from "drizzle-orm";
import type { Principal } from "../authorization/subject.ts";
import type { Tx } from "../db/client.ts";
import { unitOfWork } from "../db/unitOfWork.ts";
import { ProblemError } from "../http/problem.ts";
import { type IdempotencyScope, storeUse, takeKey } from "../idempotency/keys.ts";
import type { Service } from "../service.ts";
import { type DeploymentMode, type DeploymentStatus, isTerminal } from "./lifecycle.ts";
import { readDeployment } from "./resource.ts";
import type { DeploymentResource } from "./resourceSchema.ts";
import { createDeployment, type Snapshot } from "./transitions/create.ts";

/** Another deployment of the same stack and commit this recently makes a retry a slip of the finger. */
const DEBOUNCE = "5 seconds";

class RetryConflictError extends ProblemError {
  constructor(detail: string) {
    super({ status: 409, code: "conflict", detail });
  }
}

type Retried = Snapshot & {
  id: string;
  stack_key: string;
  mode: DeploymentMode;
  status: DeploymentStatus;
  origin_type: "manual" | "push" | "dependency" | "pull_request" | "promoted_pull_request" | "local";
  commit_sha: string;
  commit_message: string | null;
  commit_author: string | null;
  targets: string[];
  excludes: string[];
  replaces: string[];
};

/**
 * Create the retry. The caller has authorized it as a creation.
 * @throws RetryConflictError for a deployment that has not ended, a local one, and one of the same stack and commit made less
 * than 5 s ago
 */
export async function retryDeployment(
  service: Service,
  principal: Principal,
  deploymentId: string,
  idempotency: IdempotencyScope | null,
): Promise<DeploymentResource> {
  return unitOfWork(service, async (work) => {
    const use = idempotency && (await takeKey(work.tx, idempotency));
    if (use?.answer) return use.answer as DeploymentResource;
    const retried = await lockRetried(work.tx, deploymentId);
    if (!isTerminal(retried.status)) throw new RetryConflictError("Only a deployment that has ended can be retried.");
    if (retried.origin_type === "local")
      throw new RetryConflictError("A local plan cannot be retried; upload its source again.");
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
      actor: { id: principal.id, kind: principal.kind },
    });
    const resource = await readDeployment(work.tx, id);
    if (idempotency) await storeUse(work.tx, idempotency, { answer: resource });
    return resource;
  });
}

/** The stack first, so that two retries at once are one after the other; then the deployment as it is under that lock. */
async function lockRetried(tx: Tx, deploymentId: string): Promise<Retried> {
  await tx.execute(sql`
    select 1 from stacks where stack_key = (select stack_key from deployments where id = ${deploymentId}) for no key update`);
  const [row] = (await tx.execute(sql`
    select d.*, coalesce(r.targets, '{}') as targets, coalesce(r.excludes, '{}') as excludes, coalesce(r.replaces, '{}') as replaces
    from deployments d left join lateral (select * from runs where deployment_id = d.id order by id limit 1) r on true
    where d.id = ${deploymentId}`)) as unknown as Retried[];
  if (!row) throw new Error(`deployment ${deploymentId} does not exist`);
  return row;
}

async function debounce(tx: Tx, { id, stack_key, commit_sha }: Retried): Promise<void> {
  const recent = await tx.execute(sql`
    select 1 from deployments where stack_key = ${stack_key} and commit_sha = ${commit_sha} and id <> ${id}
      and created_at > svc_now() - ${DEBOUNCE}::interval limit 1`);
  if (recent.length > 0)
    throw new RetryConflictError("This commit was deployed on this stack less than 5 seconds ago.");
}
