/** What an earlier coordinator left: a run that was killed together with it, or a process that never had one. */
import type { RunnerConfig } from "../config/config.ts";
import { removeCloudProfiles } from "../engine/cloudProfiles.ts";
import type { OwnLog } from "../output/ownLog.ts";
import { placesOf, releasePlaces } from "../place/place.ts";
import { endGroup } from "../process/endGroup.ts";
import { groupsAtHome } from "../process/processTable.ts";
import { removeTree } from "../process/removeTree.ts";
import { endNamespace } from "../wall/bubblewrap.ts";
import { type AbandonedCell, removeCell, trueDirectory } from "../wall/cell.ts";
import { reportDeath } from "./deadRunner.ts";

/** The run's engine is ended before its lane is given up. What a drain cuts short is left for the next start. */
export async function settleCell(
  { id, folder, run }: AbandonedCell,
  { cancelGraceMs, serviceUrl }: Pick<RunnerConfig, "cancelGraceMs" | "serviceUrl">,
  sign: (runnerId: string, runId: string) => Promise<string>,
  logger: OwnLog,
  signal: AbortSignal,
): Promise<void> {
  if (run === null) {
    await endNamespace(id, 0);
    await removeCell(folder);
    return;
  }
  const { runner_id: runnerId, run_id: runId } = run.assignment;
  logger.warn({ runId, runnerId }, "settling a run that was killed with its runner");
  await endNamespace(id, cancelGraceMs);
  const directory = trueDirectory(run.directory);
  if (directory !== null) {
    // Behind a wall of its own every run has the same paths.
    const isShared = !directory.startsWith(folder);
    for (const place of isShared ? await placesOf(directory) : []) {
      for (const group of await groupsAtHome(place)) await endGroup(group, cancelGraceMs);
    }
    await removeCloudProfiles(directory).catch(() => {});
    await releasePlaces(directory).catch(() => {});
  }
  await reportDeath(serviceUrl, run.assignment, () => sign(runnerId, runId), directory, logger, signal);
  if (signal.aborted) return;
  if (directory !== null) await removeTree(directory);
  await removeCell(folder);
}
