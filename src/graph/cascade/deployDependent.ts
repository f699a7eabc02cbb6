/**
 * A person deploys a dependent of an apply: the same deployment the cascade would have made, at most once
 * (docs/dependencies.md#the-button).
 */
import { sql } from "drizzle-orm";
import { authorizeDeployment, type DeploymentPath } from "../../core/deployments/authorizeDeployment.ts";
import { createOnceBy } from "../../core/deployments/createUseCase.ts";
import { SourceMovedError } from "../../core/deployments/errors.ts";
import type { HeadOf } from "../../core/deployments/head.ts";
import type { DeploymentResource } from "../../core/deployments/resourceSchema.ts";
import type { deployments } from "../../core/deployments/schema.ts";
import { authorizeStack } from "../../core/stacks/authorizeStack.ts";
import type { Principal } from "../../http/principal.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import { requireRow } from "../../platform/problems/requireRow.ts";
import { findUse, type IdempotencyScope } from "../../work/idempotency/keys.ts";
import type { Service } from "../../work/service.ts";
import { AlreadyTriggeredError, NeverTriggeredError } from "./errors.ts";
import type { dependentTriggers } from "./schema.ts";
import { type Triggered, triggerDependent } from "./triggerDependent.ts";

export type DeployDependent = {
  principal: Principal;
  /** Of the parent's deployment. */
  path: DeploymentPath;
  dependentStackId: string;
  /** What an `Idempotency-Key` counts for, once it is known which stacks these are. */
  scope: (stackKey: string, dependentKey: string) => IdempotencyScope | null;
};

/**
 * Needs (stack, read) on the parent and (stack, deploy) on the dependent. What the cascade left out or could not
 * trigger can be deployed all the same, save what is declared never.
 * @throws NotFoundError, AlreadyTriggeredError, NeverTriggeredError; those of a creation by hand
 */
export async function deployDependent(
  service: Service,
  headOf: HeadOf,
  { principal, path, dependentStackId, scope }: DeployDependent,
): Promise<DeploymentResource> {
  const { id, stack_key: stackKey } = await authorizeDeployment(service.db, principal, path, "read");
  const stack = await authorizeStack(service.db, principal, path.orgId, dependentStackId, "deploy");
  const idempotency = scope(stackKey, stack.stackKey);
  const parent = await findParent(service, id, stack.stackKey);
  // After the row: what a request with the same key did to it meanwhile is then known by its answer, not as a conflict.
  const earlier = idempotency && (await findUse(service.db, idempotency));
  if (earlier?.answer) return earlier.answer as DeploymentResource;
  // No host is asked about what is certain to be refused.
  if (parent.triggered_deployment_id !== null) throw new AlreadyTriggeredError();
  if (parent.trigger === "never") throw new NeverTriggeredError();
  const creation = { principal, stack, commit: "head", idempotency } as const;
  return createOnceBy(service, headOf, creation, async (work, { asked, ...commit }, actor) => {
    const dependent = { stack_key: stack.stackKey, org_id: stack.orgId, ...asked };
    const head = { sha: commit.commitSha, message: commit.commitMessage, author: commit.commitAuthor };
    const triggered = await triggerDependent(work, { parent, dependent, commit: head, actor });
    if (triggered.outcome !== "triggered") throw refusal(triggered.outcome);
    return { id: triggered.deploymentId };
  });
}

/** The parent and the row of the dependent, as they are before any lock. @throws NotFoundError */
async function findParent({ db }: Service, parentId: string, dependentKey: string) {
  const rows = await db.execute<
    SqlRow<typeof deployments, "id" | "stack_key"> &
      SqlRow<typeof dependentTriggers, "trigger" | "triggered_deployment_id"> & { path: string[] }
  >(sql`
    select d.id, d.stack_key, to_jsonb(d.cascade_stack_path) as path, t.trigger, t.triggered_deployment_id
    from dependent_triggers t join deployments d on d.id = t.parent_deployment_id
    where t.parent_deployment_id = ${parentId} and t.dependent_stack_key = ${dependentKey}`);
  return requireRow(rows);
}

function refusal(outcome: Exclude<Triggered["outcome"], "triggered">): Error {
  switch (outcome) {
    case "already_triggered":
      return new AlreadyTriggeredError();
    case "never":
      return new NeverTriggeredError();
    case "moved":
      return new SourceMovedError();
    case "gone":
    case "missing":
      return new NotFoundError();
    case "not_open":
      return new Error("a person's trigger does not ask whether the row is open to the cascade");
  }
}
