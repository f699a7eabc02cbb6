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
  for (const isolation of candidates(config.isolation)) {
    try {
      const wall = wallOf(isolation, config, program);
      if (isolation === "none") logger.warn({ isolation }, "no wall is around runs: they can do what this process can");
      else await assertTight(isolation, wall, config, program);
      return { isolation, wall };
    } catch (error) {
      if (!(error instanceof WallUnusable || error instanceof KeyInOpen)) throw error;
      failures.push(`${isolation} does not work here: ${error.message}`);
    }
  }
  throw new WallRefused(`${failures.join("; ")}. ${ADVICE}`);
}

const ADVICE = "See docs/runners.md; RUNNER_ISOLATION=none runs without a wall.";

function candidates(choice: RunnerConfig["isolation"]): Isolation[] {
  if (choice === "any") return ["bubblewrap", "none"];
  if (choice === "wall") return isRoot() ? ["bubblewrap", "user"] : ["bubblewrap"];
  return [choice];
}

/** @throws WallUnusable, KeyInOpen */
function wallOf(isolation: Isolation, config: RunnerConfig, program: EphemeralProgram): Wall {
  const users = isRoot() && config.slotUid > 0 ? new SlotUsers(config.slotUid) : null;
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
