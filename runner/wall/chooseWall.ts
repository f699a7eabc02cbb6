import type { RunnerConfig } from "../config/config.ts";
import type { Isolation } from "../config/isolation.ts";
import type { OwnLog } from "../output/ownLog.ts";
import type { EphemeralProgram } from "../program/ephemeralProgram.ts";
import { BubblewrapWall } from "./bubblewrap.ts";
import type { Wall } from "./confined.ts";
import { LaunchWall } from "./launchWall.ts";
import { KeyInOpen } from "./mounts.ts";
import { NoWall } from "./noWall.ts";
import { breaches, WallUnusable } from "./selfCheck.ts";
import { SlotUsers } from "./slotUsers.ts";
import { UserWall } from "./userWall.ts";

/** There is none, or a run could get over it. The message is for the operator. */
export class WallRefused extends Error {
  override name = "WallRefused";
}

export interface ChosenWall {
  isolation: Isolation;
  wall: Wall;
}

/** The wall that is asked for, tried out. @throws WallRefused */
export async function chooseWall(config: RunnerConfig, program: EphemeralProgram, logger: OwnLog): Promise<ChosenWall> {
  const failures: string[] = [];
  for (const { isolation, settings } of candidates(config)) {
    try {
      const wall = wallOf(isolation, settings, program);
      if (isolation === "none") logger.warn({ isolation }, "no wall is around runs: they can do what this process can");
      else await assertTight(isolation, wall, settings, program);
      if (settings !== config) logger.warn({ isolation, failures }, "runs stay root: no other user can be one here");
      return { isolation, wall };
    } catch (error) {
      if (!(error instanceof WallUnusable || error instanceof KeyInOpen)) throw error;
      failures.push(`${isolation} does not work here: ${error.message}`);
    }
  }
  throw new WallRefused(`${failures.join("; ")}. ${ADVICE}`);
}

const ADVICE = "See docs/runners.md; RUNNER_ISOLATION=none runs without a wall.";

interface Candidate {
  isolation: Isolation;
  settings: RunnerConfig;
}

/** Where other users may not read this product or its Node, a wall around runs that stay root is better than none. */
function candidates(config: RunnerConfig): Candidate[] {
  const withSettings = (isolation: Isolation, settings = config) => ({ isolation, settings });
  if (config.isolation === "any") {
    const rootsOwn = isRoot() && config.slotUid > 0 ? [withSettings("bubblewrap", { ...config, slotUid: 0 })] : [];
    return [withSettings("bubblewrap"), ...rootsOwn, withSettings("none")];
  }
  if (config.isolation !== "wall") return [withSettings(config.isolation)];
  return (isRoot() ? (["bubblewrap", "user"] as const) : (["bubblewrap"] as const)).map((each) => withSettings(each));
}

/** @throws WallUnusable, KeyInOpen */
function wallOf(isolation: Isolation, config: RunnerConfig, program: EphemeralProgram): Wall {
  const users = isRoot() && config.slotUid > 0 ? new SlotUsers(config.slotUid, config.workDir) : null;
  switch (isolation) {
    case "bubblewrap":
      return new BubblewrapWall(config, program, users);
    case "user":
      if (users === null) throw new WallUnusable("it takes root, and a RUNNER_SLOT_UID above 0");
      return new UserWall(config, program, users);
    case "command":
      if (config.launchCommand === undefined) throw new WallUnusable("RUNNER_LAUNCH_COMMAND is not set");
      return new LaunchWall(config, config.launchCommand);
    default:
      return new NoWall(program, config.workDir);
  }
}

/** @throws WallUnusable, WallRefused */
async function assertTight(
  isolation: Isolation,
  wall: Wall,
  config: RunnerConfig,
  program: EphemeralProgram,
): Promise<void> {
  const reached = await breaches(wall, config, program);
  if (reached.length === 0) return;
  const network = reached.filter((each) => each.startsWith("reaches "));
  const hint =
    network.length === 0
      ? ""
      : " Close that address to runs, or set RUNNER_METADATA_ADDRESS=allowed where runs may have this machine's identity.";
  throw new WallRefused(`A run gets over the wall \`${isolation}\`: it ${reached.join("; it ")}.${hint} ${ADVICE}`);
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
