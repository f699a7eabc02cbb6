/**
 * A person creates a deployment: authorize, resolve the commit outside any transaction, then one transaction
 * (docs/rules/deployments.md#creating-one).
 */
import { and, eq, isNull } from "drizzle-orm";
import type { Principal } from "../../http/principal.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { requireRow } from "../../platform/problems/requireRow.ts";
import type { Actor } from "../../work/domainEvent.ts";
import { findUse, type IdempotencyScope, storeUse, takeKey } from "../../work/idempotency/keys.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import { authorizeStack } from "../stacks/authorizeStack.ts";
import { type StackRow, stacks } from "../stacks/schema.ts";
import { CREATE_ACTION } from "./authorizeDeployment.ts";
import { SourceMovedError } from "./errors.ts";
import { type CreateBody, refuseExcludes } from "./fields.ts";
import type { HeadOf } from "./head.ts";
import { provenanceOf, type Standing } from "./lookUpProvenance.ts";
import { readDeployment } from "./resource.ts";
import type { DeploymentResource } from "./resourceSchema.ts";
import { createDeployment, type NewDeployment } from "./transitions/create.ts";

export type CreateRequest = {
  principal: Principal;
  orgId: string;
  stackId: string;
  body: CreateBody;
  /** What an `Idempotency-Key` counts for, once it is known which stack this is. */
  scope: (stackKey: string) => IdempotencyScope | null;
};

/**
 * Create a deployment by hand. The commit defaults to the branch's head. It queues when the stack is busy.
 * @throws NotFoundError, IdempotencyKeyReusedError, BranchNotFoundError, CommitNotFoundError,
 * RepositoryUnreachableError, UnsupportedRuntimeProviderError, RuntimeCredentialsUnavailableError, SourceMovedError,
 * CommitNotOnBranchError
 */
export async function createByHand(
  service: Service,
  headOf: HeadOf,
  request: CreateRequest,
): Promise<DeploymentResource> {
  const { principal, body, scope } = request;
  const stack = await authorizeStack(service.db, principal, request.orgId, request.stackId, CREATE_ACTION[body.mode]);
  refuseExcludes(stack.tool, body.excludes);
  const { commit_sha: named, allow_foreign: allowForeign = false } = body;
  const commit = named === undefined ? "head" : { named, allowForeign };
  const idempotency = scope(stack.stackKey);
  return createOnce(service, headOf, { principal, stack, commit, idempotency }, async () => ({
    mode: body.mode,
    originType: "manual",
    targets: body.targets ?? [],
    excludes: body.excludes ?? [],
    replaces: body.replaces ?? [],
  }));
}

/** Who creates on which stack; the caller has authorized it. */
export type Creation = {
  principal: Principal;
  stack: StackRow;
  /** The branch's head, a commit that the repository must have, or one that is only noted beside other files. */
  commit: "head" | { named: string; allowForeign: boolean } | { noted: string };
  idempotency: IdempotencyScope | null;
  /** What would refuse it anyway, looked at before anybody outside is asked, and again under the locks. */
  possible?: () => Promise<void>;
};

type Created = Omit<NewDeployment, "stackKey" | "commitSha" | "provenance" | "source" | "actor"> & {
  /** What belongs to the deployment besides, written in its transaction. */
  complete?: (work: Work, deploymentId: string) => Promise<void>;
};

/** A commit, and the source whose host was asked for it. */
type Commit = {
  commitSha: string;
  commitMessage: string | null;
  commitAuthor: string | null;
  standing: Standing;
  asked: SqlRow<typeof stacks, "repository_url" | "branch">;
};

/** How often the host is asked while somebody gives the stack another source. */
const TRIES = 2;

/**
 * Create what `describe` says in one transaction, or give the answer that an earlier request with the same key got.
 * `describe` runs in that transaction, before any other lock than the key's is taken.
 */
export async function createOnce(
  service: Service,
  headOf: HeadOf,
  creation: Creation,
  describe: (work: Work) => Promise<Created>,
): Promise<DeploymentResource> {
  const { stackKey } = creation.stack;
  const allowForeign =
    typeof creation.commit === "object" && "named" in creation.commit && creation.commit.allowForeign;
  return createOnceBy(service, headOf, creation, async (work, { asked, standing, ...commit }, actor) => {
    const { complete, ...input } = await describe(work);
    const looked = { stackKey, branch: asked.branch, commitSha: commit.commitSha, standing, allowForeign };
    const provenance = input.originType === "local" ? "local" : await provenanceOf(work.tx, looked);
    const created = await createDeployment(work, {
      ...input,
      stackKey,
      ...commit,
      provenance,
      source: { asked },
      actor,
    });
    await complete?.(work, created.id);
    return created;
  });
}

/**
 * The same where `create` makes the deployment itself, with locks of its own that come first. A stack that was given
 * another source while its host was asked is asked about once more.
 * @throws SourceMovedError when that happens again
 */
export async function createOnceBy(
  service: Service,
  headOf: HeadOf,
  { principal, stack, commit: wanted, idempotency, possible }: Creation,
  create: (work: Work, commit: Commit, actor: Actor) => Promise<{ id: string }>,
): Promise<DeploymentResource> {
  const earlier = idempotency && (await findUse(service.db, idempotency));
  if (earlier?.answer) return earlier.answer as DeploymentResource;
  await possible?.();
  await service.preflight?.(stack.stackKey);
  for (let source: Source = stack, tried = 1; ; tried++) {
    const commit = await commitOf(headOf, source, wanted);
    try {
      return await unitOfWork(service, async (work) => {
        const use = idempotency && (await takeKey(work.tx, idempotency));
        if (use?.answer) return use.answer as DeploymentResource;
        const { id } = await create(work, commit, { id: principal.id, kind: principal.kind });
        const resource = await readDeployment(work.tx, principal, id);
        if (idempotency) await storeUse(work.tx, idempotency, { answer: resource });
        return resource;
      });
    } catch (error) {
      if (!(error instanceof SourceMovedError) || tried === TRIES) throw error;
    }
    source = await sourceNow(service.db, stack.stackKey);
  }
}

type Source = Pick<StackRow, "orgId" | "repositoryUrl" | "branch">;

async function commitOf(headOf: HeadOf, source: Source, wanted: Creation["commit"]): Promise<Commit> {
  const asked = { repository_url: source.repositoryUrl, branch: source.branch };
  if (typeof wanted === "object" && "noted" in wanted)
    return { commitSha: wanted.noted, commitMessage: null, commitAuthor: null, standing: "unknown", asked };
  const named = wanted === "head" ? undefined : wanted.named;
  const { sha, message, author, onBranch } = await headOf(source, named);
  const standing = named === undefined ? "on_branch" : standingOf(onBranch);
  return { commitSha: sha, commitMessage: message, commitAuthor: author, standing, asked };
}

function standingOf(onBranch: boolean | undefined): Standing {
  if (onBranch === undefined) return "unknown";
  return onBranch ? "on_branch" : "elsewhere";
}

async function sourceNow(db: Queryable, stackKey: string): Promise<Source> {
  const live = and(eq(stacks.stackKey, stackKey), isNull(stacks.deletedAt));
  return requireRow(await db.select().from(stacks).where(live));
}
