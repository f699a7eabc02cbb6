import { endGroup } from "../process/endGroup.ts";
import type { EphemeralProgram } from "../program/ephemeralProgram.ts";
import { CELL, newCell, removeCell } from "./cell.ts";
import type { Confined, Wall } from "./confined.ts";
import { openEnvironment } from "./environment.ts";
import { Forked, startForked } from "./forked.ts";

/** None: a run can do whatever the coordinator's user can. */
export class NoWall implements Wall {
  readonly #program: EphemeralProgram;
  readonly #workDir: string;

  constructor(program: EphemeralProgram, workDir: string) {
    this.#program = program;
    this.#workDir = workDir;
  }

  start(): Confined {
    const { file, env } = this.#program;
    const { id, folder } = newCell(this.#workDir);
    const child = startForked({ file, env: { ...openEnvironment(), ...env, [CELL]: id }, through: [] });
    return new Unconfined(child, folder, this.#workDir);
  }
}

class Unconfined extends Forked implements Confined {
  readonly #cell: string;

  constructor(child: Forked["child"], cell: string, workDir: string) {
    super(child, { cell, workDir, outside: workDir, uid: null });
    this.#cell = cell;
  }

  async endPrograms(group: number | null, graceMs: number): Promise<void> {
    if (group !== null) await endGroup(group, graceMs);
  }

  async clear(): Promise<void> {
    await removeCell(this.#cell);
  }
}
