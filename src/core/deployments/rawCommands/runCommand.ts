/** A person runs a command on a stack: a deployment of mode raw, whose script goes sealed into its own row. */
import { recordAudit } from "../../../people/audit/record.ts";
import { requireOrg } from "../../../people/authorization/authorize.ts";
import type { Keyring } from "../../../platform/crypto/keyring.ts";
import { publish } from "../../../work/publish.ts";
import type { Service } from "../../../work/service.ts";
import type { Work } from "../../../work/unitOfWork.ts";
import { type Guard, guardsOf, textOf } from "../../gates/commandGuard.ts";
import { type Creation, createOnce } from "../createUseCase.ts";
import { NothingToBreakError } from "../errors.ts";
import type { HeadOf } from "../head.ts";
import type { DeploymentResource } from "../resourceSchema.ts";
import { sealCommand } from "./rawCommand.ts";

/** `breakGlass`: why it is run on a stack whose applies are looked at before; the caller has authorized that. */
export type RunCommand = Omit<Creation, "commit"> & { script: string; breakGlass?: string | undefined };

/**
 * Create a raw deployment on the branch's head. The audit channel hears who ran how many bytes.
 * @throws IdempotencyKeyReusedError, BranchNotFoundError, RepositoryUnreachableError, CommandGuardedError,
 * NothingToBreakError, ForbiddenError
 */
export async function runCommand(
  service: Service,
  headOf: HeadOf,
  keyring: Keyring,
  { script, breakGlass, ...creation }: RunCommand,
): Promise<DeploymentResource> {
  const command = await sealCommand(keyring, script);
  return createOnce(service, headOf, { ...creation, commit: "head" }, async (work) => ({
    mode: "raw",
    originType: "manual",
    command,
    ...(breakGlass !== undefined && (await unguarded(work, creation, breakGlass))),
  }));
}

/** @throws NothingToBreakError, ForbiddenError without (policy, override) where a policy is about the stack */
async function unguarded({ tx }: Work, { principal, stack }: Pick<Creation, "principal" | "stack">, reason: string) {
  const guards = await guardsOf(tx, stack.stackKey);
  if (guards.length === 0) throw new NothingToBreakError();
  if (guards.some(({ kind }) => kind === "policy"))
    await requireOrg(tx, principal, stack.orgId, { type: "policy", action: "override" });
  return {
    unguarded: true,
    complete: (work: Work, deploymentId: string) => tell(work, { principal, stack }, { deploymentId, reason, guards }),
  };
}

async function tell(
  work: Work,
  { principal, stack }: Pick<Creation, "principal" | "stack">,
  { deploymentId, reason, guards }: { deploymentId: string; reason: string; guards: readonly Guard[] },
): Promise<void> {
  const { orgId, stackKey, slug } = stack;
  const actor = { id: principal.id, kind: principal.kind };
  await recordAudit(work.tx, {
    orgId,
    actor,
    action: "deployment.break_glass",
    resourceId: deploymentId,
    details: { stack_id: slug, reason, missing: guards.map(textOf) },
  });
  const data = { mode: "raw", origin_type: "manual", missing: guards.length, reason };
  await publish(work, { orgId, name: "deployment_broke_glass", stackKey, deploymentId, actor, data });
}
