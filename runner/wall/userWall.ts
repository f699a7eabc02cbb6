/**
 * The wall between users of one machine: each run is another user, without any privilege. It hides no file that the
 * machine lets everybody read.
 */
import { chmodSync } from "node:fs";
import type { RunnerConfig } from "../config/config.ts";
import { endGroup } from "../process/endGroup.ts";
import type { EphemeralProgram } from "../program/ephemeralProgram.ts";
import { CELL, newCell, removeCell } from "./cell.ts";
import type { Confined, Wall } from "./confined.ts";
import { walledEnvironment } from "./environment.ts";
import { Forked, startForked } from "./forked.ts";
import { removeFilesOf, removeMemoryOf } from "./leftBehind.ts";
import { asUser, isGroupOf, killAllOf, type SlotUsers } from "./slotUsers.ts";

export class UserWall implements Wall {
  readonly #config: RunnerConfig;
  readonly #program: EphemeralProgram;
  readonly #users: SlotUsers;

  constructor(config: RunnerConfig, program: EphemeralProgram, users: SlotUsers) {
    this.#config = config;
    this.#program = program;
    this.#users = users;
    // Each user makes its own there, and none can change another's.
    chmodSync(config.workDir, 0o1777);
  }

  start(): Confined {
    const { workDir, engineEnv } = this.#config;
    const { file, env } = this.#program;
    const { id, folder } = newCell(workDir);
    const uid = this.#users.take();
    const variables = { ...walledEnvironment(engineEnv, workDir), ...env, [CELL]: id };
    try {
      const child = startForked({ file, env: variables, through: [...asUser(uid), process.execPath] });
      return new OtherUser(child, { cell: folder, workDir, outside: workDir, uid }, this.#users);
    } catch (error) {
      this.#users.giveBack(uid);
      throw error;
    }
  }
}

interface Place {
  cell: string;
  workDir: string;
  outside: string;
  uid: number;
}

class OtherUser extends Forked implements Confined {
  readonly #where: Place;
  readonly #users: SlotUsers;

  constructor(child: Forked["child"], place: Place, users: SlotUsers) {
    super(child, place);
    this.#where = place;
    this.#users = users;
  }

  /** What it said of its group anything of its user may have said in its place, and root may end every group. */
  async endPrograms(group: number | null, graceMs: number): Promise<void> {
    const { uid } = this.#where;
    if (group !== null && isGroupOf(uid, group)) await endGroup(group, graceMs);
    await killAllOf(uid);
  }

  /** The next run of this user must find nothing of the last. */
  async clear(): Promise<void> {
    const { uid, workDir, cell } = this.#where;
    await killAllOf(uid);
    await removeMemoryOf(uid);
    await removeFilesOf(uid, workDir);
    await removeCell(cell);
    this.#users.giveBack(uid);
  }
}
