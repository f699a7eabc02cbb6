/** What a plan run stored for people to look at, opened. */
import type { Readable } from "node:stream";
import type { SealedObjects } from "../../platform/objects/sealed.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { isRunTerminal } from "../runs/lifecycle.ts";
import { artifactPlace } from "../runs/storedPlaces.ts";
import type { PlanRun, ShownArtifact } from "./planRun.ts";

/** The run is not through, could not store it, or it was removed since. */
class PlanDataMissingError extends ProblemError {
  constructor(why: string) {
    super({ status: 404, code: "not_found", detail: why });
  }
}

/**
 * Only of a run that is over: until then an upload may be replaced.
 * @throws PlanDataMissingError, StorageUnavailableError, DecryptionError
 */
export async function openPlanData(
  objects: Pick<SealedObjects, "getSealed">,
  run: PlanRun,
  kind: ShownArtifact,
): Promise<{ size: number; body: Readable }> {
  if (!isRunTerminal(run.status)) throw new PlanDataMissingError("The plan is still being made.");
  const stored = run.artifacts[kind];
  const body = stored && (await objects.getSealed(stored.object_key, artifactPlace(run.run_id, kind), stored.size));
  if (!stored || !body) throw new PlanDataMissingError("The plan's run stored no such data, or it has been removed.");
  return { size: stored.size, body };
}
