/**
 * The variables of a run: an apply gets those of its plan, outputs of other stacks among them; every other run what
 * contexts give at this moment.
 */
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Queryable } from "../../platform/db/client.ts";
import {
  planEnvironment,
  type SealedEnvironment,
  sealEnvironment,
} from "../deployments/planEnvironments/planEnvironment.ts";
import { inputsOfPlan } from "../outputs/planInputs.ts";
import { withInputs } from "../runs/inputEnvironment.ts";
import type { RunContext } from "../runs/protocol.ts";
import { orRefused } from "./contextErrors.ts";

type Environment = RunContext["environment"];

export type RunEnvironment = {
  given: Pick<RunContext, "environment" | "changed_since_plan">;
  /** To be kept for the apply, when there may be one. */
  kept: SealedEnvironment | null;
};

const DAMAGED =
  "The variables that the plan was made with are damaged in the service's store: plan again. Nothing was applied (variables_damaged).";

/** @throws ContextRefusedError, DecryptionError, and what `today` throws */
export async function runEnvironment(
  { db, keyring }: { db: Queryable; keyring: Keyring },
  run: { id: string; planRunId: string | null; mayBeApplied: boolean },
  today: () => Promise<Environment>,
): Promise<RunEnvironment> {
  const ofPlan = async <T>(read: (planRunId: string) => Promise<T>) =>
    run.planRunId === null ? null : orRefused(read(run.planRunId), DAMAGED);
  const [current, planned, inputs] = await Promise.all([
    today(),
    ofPlan((planRunId) => planEnvironment(db, keyring, planRunId)),
    ofPlan((planRunId) => inputsOfPlan({ db, keyring }, planRunId)),
  ]);
  if (planned !== null) {
    const environment = withInputs(planned, inputs ?? []);
    return { given: { environment, changed_since_plan: changes(planned, current) }, kept: null };
  }
  const kept = run.mayBeApplied ? await sealEnvironment(keyring, run.id, current) : null;
  return { given: { environment: current }, kept };
}

/** Variables that are others today, with what is secret of them now; one that is gone has nothing to hide any more. */
function changes(planned: Environment, current: Environment): RunContext["changed_since_plan"] {
  const now = new Map(current.map((variable) => [variable.name, variable]));
  const then = new Map(planned.map((variable) => [variable.name, variable]));
  return [...new Set([...then.keys(), ...now.keys()])].sort().flatMap((name) => {
    const [before, after] = [then.get(name), now.get(name)];
    if (before?.value === after?.value && before?.secret === after?.secret) return [];
    return [{ name, secret_now: after?.secret === true ? after.value : null }];
  });
}
