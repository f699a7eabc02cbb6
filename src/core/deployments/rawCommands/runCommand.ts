/** A person runs a command on a stack: a deployment of mode raw, whose script goes sealed into its own row. */
import type { Keyring } from "../../../platform/crypto/keyring.ts";
import type { Service } from "../../../work/service.ts";
import { type Creation, createOnce } from "../createUseCase.ts";
import type { HeadOf } from "../head.ts";
import type { DeploymentResource } from "../resourceSchema.ts";
import { sealCommand } from "./rawCommand.ts";

export type RunCommand = Omit<Creation, "commit"> & { script: string };

/**
 * Create a raw deployment on the branch's head. The audit channel hears who ran how many bytes.
 * @throws IdempotencyKeyReusedError, BranchNotFoundError, RepositoryUnreachableError
 */
export async function runCommand(
  service: Service,
  headOf: HeadOf,
  keyring: Keyring,
  { script, ...creation }: RunCommand,
): Promise<DeploymentResource> {
  const command = await sealCommand(keyring, script);
  return createOnce(service, headOf, { ...creation, commit: "head" }, async () => ({
    mode: "raw",
    originType: "manual",
    command,
  }));
}
