/**
 * A plan of files that a person uploaded: always `plan_unlocked`, so it neither takes nor awaits the lane
 * (docs/rules/deployments.md#local-plans).
 */
import { type SQL, sql } from "drizzle-orm";
import type { Queryable, Tx } from "../../../platform/db/client.ts";
import { InvalidValueError } from "../../../platform/problems/requestErrors.ts";
import type { Service } from "../../../work/service.ts";
import { type Creation, createOnce } from "../createUseCase.ts";
import { type LocalBody, refuseExcludes } from "../fields.ts";
import type { HeadOf } from "../head.ts";
import type { DeploymentResource } from "../resourceSchema.ts";

export type LocalPlan = Omit<Creation, "commit"> & { body: LocalBody };

/**
 * Plan an uploaded source. Its commit is only noted; the branch's head when the client names none.
 * @throws InvalidValueError for a source that is not this stack's, was removed, or has another digest;
 * IdempotencyKeyReusedError
 */
export async function createLocalPlan(
  service: Service,
  headOf: HeadOf,
  { body, ...creation }: LocalPlan,
): Promise<DeploymentResource> {
  refuseExcludes(creation.stack.tool, body.excludes);
  const { stackKey } = creation.stack;
  const possible = () => assertSource(service.db, stackKey, body);
  // It may be one that was never pushed: the files are what is planned.
  const commit = body.commit_sha === undefined ? "head" : { noted: body.commit_sha };
  return createOnce(service, headOf, { ...creation, commit, possible }, async (work) => {
    await takeSource(work.tx, stackKey, body);
    return {
      mode: "plan_unlocked",
      originType: "local",
      targets: body.targets ?? [],
      excludes: body.excludes ?? [],
      replaces: body.replaces ?? [],
      complete: (_work, deploymentId) => nameSource(work.tx, deploymentId, body),
    };
  });
}

/**
 * Mark the source as used. The removal of unused sources meets the new version of the row and leaves it, so between
 * here and the commit it cannot take away what is about to be named.
 */
async function takeSource(tx: Tx, stackKey: string, body: LocalBody): Promise<void> {
  await tx.execute(sql`update local_sources set used_at = svc_now() where ${uploaded(stackKey, body)}`);
  await assertSource(tx, stackKey, body);
}

/** @throws InvalidValueError */
async function assertSource(db: Queryable, stackKey: string, body: LocalBody): Promise<void> {
  const [source] = await db.execute<{ sha256: string }>(
    sql`select sha256 from local_sources where ${uploaded(stackKey, body)}`,
  );
  const { local_source_sha256 } = body;
  if (!source) throw refused("local_source_key", "is not an uploaded source of this stack, or it has been removed");
  if (source.sha256 !== local_source_sha256) throw refused("local_source_sha256", "is not the digest of that source");
}

function uploaded(stackKey: string, { local_source_key }: LocalBody): SQL {
  return sql`id = ${local_source_key} and stack_key = ${stackKey} and sha256 is not null and removed_at is null`;
}

async function nameSource(tx: Tx, deploymentId: string, body: LocalBody): Promise<void> {
  await tx.execute(sql`
    update deployments set local_source_key = ${body.local_source_key}, local_source_sha256 = ${body.local_source_sha256}
    where id = ${deploymentId}`);
}

function refused(field: string, message: string): InvalidValueError {
  return new InvalidValueError([{ field, message }]);
}
