/** A person creates a deployment (spec 4.5, design 6.3): authorize, resolve the commit outside any transaction, then one transaction. */
import type { Principal } from "../authorization/subject.ts";
import { unitOfWork } from "../db/unitOfWork.ts";
import { findUse, type IdempotencyScope, storeUse, takeKey } from "../idempotency/keys.ts";
import { type GitSettings, resolveBranchHead } from "../scm/resolveCommit.ts";
import type { Service } from "../service.ts";
import { authorizeStack } from "../stacks/authorizeStack.ts";
import { CREATE_ACTION } from "./authorizeDeployment.ts";
import { type CreateBody, refuseExcludes } from "./fields.ts";
import { readDeployment } from "./resource.ts";
import type { DeploymentResource } from "./resourceSchema.ts";
import { createDeployment } from "./transitions/create.ts";

export type CreateRequest = {
  principal: Principal;
  orgId: string;
  stackId: string;
  body: CreateBody;
  idempotency: IdempotencyScope | null;
};

/**
 * Create a deployment by hand. The commit defaults to the branch's head. It queues when the stack is busy.
 * @throws NotFoundError, IdempotencyKeyReusedError, BranchNotFoundError, RepositoryUnreachableError
 */
export async function createByHand(
  service: Service,
  git: GitSettings,
  request: CreateRequest,
): Promise<DeploymentResource> {
  const { principal, body, idempotency } = request;
  const stack = await authorizeStack(service.db, principal, request.orgId, request.stackId, CREATE_ACTION[body.mode]);
  refuseExcludes(stack.tool, body.excludes);
  const earlier = idempotency && (await findUse(service.db, idempotency));
  if (earlier?.answer) return earlier.answer as DeploymentResource;
  const commitSha = body.commit_sha ?? (await resolveBranchHead(git, stack.repositoryUrl, stack.branch));
  return unitOfWork(service, async (work) => {
    const use = idempotency && (await takeKey(work.tx, idempotency));
    if (use?.answer) return use.answer as DeploymentResource;
    const { id } = await createDeployment(work, {
      stackKey: stack.stackKey,
      mode: body.mode,
      commitSha,
      originType: "manual",
      targets: body.targets ?? [],
      excludes: body.excludes ?? [],
      replaces: body.replaces ?? [],
      actor: { id: principal.id, kind: principal.kind },
    });
    const resource = await readDeployment(work.tx, id);
    if (idempotency) await storeUse(work.tx, idempotency, { answer: resource });
    return resource;
  });
}
