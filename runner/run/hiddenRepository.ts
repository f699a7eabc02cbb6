/** A repository on this machine that a run cannot see: git would only say that there is none. */
import { access, constants } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Isolation } from "../config/isolation.ts";
import type { CopyOf } from "../process/steps.ts";
import { RunFailed } from "../service/outcome.ts";

const WHAT_TO_DO: Record<Isolation, (folder: string) => string> = {
  bubblewrap: (folder) =>
    `The wall around runs hides folders of people and services: let the runner's operator have it copied for runs (RUNNER_WALL_REPOSITORIES=${folder}; it has to be the runner's own user's) or show it (RUNNER_WALL_SHOW=${folder}), and let everybody read it where the runner is root`,
  user: () =>
    "Each run is a user of its own on this runner: let everybody read the folder and go through those above it",
  command: () => "Runs see what RUNNER_LAUNCH_COMMAND gives them: let it mount the folder at the same path",
  none: () => "It is not there, or the runner's user may not read it",
};

/**
 * The address to fetch from: the repository's own, or that of a copy.
 * @throws RunFailed for a `file://` address whose folder is not to be seen here, with what to do
 */
export async function visibleAddress(url: string, isolation: Isolation | undefined, copyOf?: CopyOf): Promise<string> {
  if (!url.startsWith("file://")) return url;
  const folder = fileURLToPath(url);
  const seen = await access(folder, constants.R_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (seen) return url;
  const copy = isolation === "bubblewrap" ? await copyOf?.(folder) : null;
  if (typeof copy === "string") return pathToFileURL(copy).href;
  const advice = WHAT_TO_DO[isolation ?? "none"](folder);
  throw new RunFailed(`The run cannot see the repository's folder ${folder} (repository_hidden). ${advice}.`);
}
