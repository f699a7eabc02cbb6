/** What policies say of a plan: reads it, and evaluates them beside the event loop. */
import type { Queryable } from "../../platform/db/client.ts";
import type { SealedObjects } from "../../platform/objects/sealed.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { type Asked, changesOf, inputFacts } from "./facts.ts";
import { failed, type PolicyResult, type Said } from "./result.ts";
import { evaluate } from "./thread/evaluate.ts";

export type LookDeps = { objects: Pick<SealedObjects, "getSealed"> };

/** @throws for an outage of our own, which passes; whatever stays is what the policies could not be evaluated for */
export async function look(
  { objects }: LookDeps,
  db: Queryable,
  { deploymentId, planRunId }: { deploymentId: string; planRunId: string | undefined },
  asked: readonly Asked[],
): Promise<PolicyResult[]> {
  if (asked.length === 0) return [];
  const { facts, plan } = await inputFacts(db, deploymentId, planRunId);
  const changes = await changesOf(objects, plan).catch((error: unknown) => {
    if (error instanceof ProblemError && error.status === 404) return "missing" as const;
    throw error;
  });
  if (changes === null)
    return allFailed(asked, "The plan's list of changes is longer than policies can be evaluated on.");
  if (changes === "missing") return allFailed(asked, "The plan's list of changes is not there.");
  const answers = await evaluate({ facts, changes, policies: asked.map(({ evaluable }) => evaluable) });
  return asked.map((policy, at) => {
    const { said, ms } = answers[at] ?? { said: failed("It was not evaluated."), ms: 0 };
    return resultOf(policy, said, ms);
  });
}

/** For a reason that concerns none of them. */
export function allFailed(asked: readonly Asked[], why: string): PolicyResult[] {
  return asked.map((policy) => resultOf(policy, failed(why), 0));
}

function resultOf({ evaluable: _content, ...policy }: Asked, said: Said, duration_ms: number): PolicyResult {
  return { ...policy, ...said, duration_ms };
}
