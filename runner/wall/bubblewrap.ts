/**
 * The wall of `bubblewrap`: mounts, processes, IPC and host name of a run are its own, the rest of the machine is there
 * to read. The directory of all runs is an empty one that only this run sees, at the same path in every run.
 */
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { PollAnswer } from "../../src/core/runs/protocol.ts";
import type { RunnerConfig } from "../config/config.ts";
import { endGroup } from "../process/endGroup.ts";
import { signalGroup } from "../process/processGroup.ts";
import { childrenOf, groupsInNamespaceOf, isGroupAlive, isProcessAlive } from "../process/processTable.ts";
import type { EphemeralProgram } from "../program/ephemeralProgram.ts";
import { CELL, newCell, removeCell } from "./cell.ts";
import type { Confined, RunDirectory, Wall } from "./confined.ts";
import { copyRepository } from "./copyRepository.ts";
import { walledEnvironment } from "./environment.ts";
import { Forked, startForked } from "./forked.ts";
import { type Mount, mountsOf } from "./mounts.ts";
import { asUser, type SlotUsers } from "./slotUsers.ts";

/** How long what was killed may take to be gone. */
const GONE_MS = 2_000;
const LOOK_EVERY_MS = 5;
/** The name of a repository that was brought to a run. */
const COPY = "repository.git";

export class BubblewrapWall implements Wall {
  readonly #config: RunnerConfig;
  readonly #program: EphemeralProgram;
  readonly #mounts: Mount[];
  readonly #users: SlotUsers | null;

  /** @param users null: a run's user is the coordinator's @throws KeyInOpen */
  constructor(config: RunnerConfig, program: EphemeralProgram, users: SlotUsers | null) {
    this.#config = config;
    this.#program = program;
    this.#mounts = mountsOf(config, program);
    this.#users = users;
  }

  start(): Confined {
    const { workDir, engineEnv } = this.#config;
    const { file, env } = this.#program;
    const { id, folder } = newCell(workDir);
    const uid = this.#users?.take() ?? null;
    const clear = async () => {
      await removeCell(folder);
      if (uid !== null) this.#users?.giveBack(uid);
    };
    try {
      makeFolders(folder, workDir, uid);
      const variables = { ...walledEnvironment(engineEnv, workDir), ...env, [CELL]: id };
      const child = startForked({ file, env: variables, through: this.#through(folder, uid) });
      const copy = (repository: string, into: string) => copyRepository(repository, into, this.#config);
      return new Walled(child, { cell: folder, workDir, outside: path.join(folder, "work"), uid }, id, copy, clear);
    } catch (error) {
      void clear();
      throw error;
    }
  }

  #through(cell: string, uid: number | null): string[] {
    const { workDir } = this.#config;
    // With the rights to change the user, which go with that change.
    const rights = uid === null ? [] : ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"];
    const accounts = uid === null ? [] : ["--ro-bind", path.join(cell, "passwd"), "/etc/passwd"];
    return [
      "bwrap",
      ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
      ...(process.getuid?.() === 0 ? [] : ["--unshare-user"]),
      ...["--ro-bind", "/", "/", "--dev", "/dev", "--cap-drop", "ALL", ...rights],
      // What can be written there are settings of the whole machine, and of a run that is root they are its own.
      ...["--proc", "/proc", "--remount-ro", "/proc"],
      ...this.#mounts.flatMap((mount) => [...this.#foldersAbove(mount.at), ...mountArguments(mount, cell)]),
      ...[...this.#foldersAbove(workDir), "--bind", path.join(cell, "work"), workDir],
      ...["--chdir", "/", ...accounts, "--"],
      ...(uid === null ? [] : asUser(uid)),
      process.execPath,
    ];
  }

  /** Where everything is hidden, the folders that lead to something are made anew, for every user to go through. */
  #foldersAbove(file: string): string[] {
    const above = this.#mounts.findLast(({ at }) => file !== at && file.startsWith(`${at === "/" ? "" : at}/`));
    if (above?.how !== "hidden") return [];
    const names = path.relative(above.at, path.dirname(file)).split("/").filter(Boolean);
    return names.flatMap((_, index) => ["--perms", "0755", "--dir", path.join(above.at, ...names.slice(0, index + 1))]);
  }
}

/** Temporary files lie on the disk, not in memory. */
function mountArguments({ how, at }: Mount, cell: string): string[] {
  if (how === "shown") return ["--ro-bind", at, at];
  if (how === "writable") return ["--bind", at, at];
  return at === "/tmp" || at === "/var/tmp" ? ["--bind", path.join(cell, "tmp"), at] : ["--tmpfs", at];
}

function makeFolders(cell: string, workDir: string, uid: number | null): void {
  for (const name of ["", "work", "tmp"]) mkdirSync(path.join(cell, name), { mode: 0o700 });
  if (uid === null) return;
  chmodSync(path.join(cell, "tmp"), 0o1777);
  chownSync(path.join(cell, "work"), uid, uid);
  // Programs such as ssh refuse to work for a user that has no name.
  writeFileSync(
    path.join(cell, "passwd"),
    `${readFileSync("/etc/passwd", "utf8")}run:x:${uid}:${uid}::${workDir}:/bin/sh\n`,
    { mode: 0o644 },
  );
}

class Walled extends Forked implements Confined {
  readonly #id: string;
  readonly #where: ConstructorParameters<typeof Forked>[1];
  readonly #copy: (repository: string, into: string) => Promise<boolean>;
  readonly #remove: () => Promise<void>;
  /** The first process of the namespace, as this machine sees it; null until there is a run. */
  #first: number | null = null;

  constructor(
    child: Forked["child"],
    place: ConstructorParameters<typeof Forked>[1],
    id: string,
    copy: (repository: string, into: string) => Promise<boolean>,
    remove: () => Promise<void>,
  ) {
    super(child, place);
    this.#id = id;
    this.#where = place;
    this.#copy = copy;
    this.#remove = remove;
  }

  override async assign(assignment: PollAnswer): Promise<RunDirectory> {
    const [directory, [first]] = await Promise.all([super.assign(assignment), childrenOf(this.child.pid as number)]);
    this.#first = first ?? null;
    return directory;
  }

  /** Made where the run cannot be, and moved to it when it is whole. */
  override async copyOf(repository: string): Promise<string | null> {
    const { cell, outside, workDir } = this.#where;
    const made = path.join(cell, COPY);
    if (!(await this.#copy(repository, made))) return null;
    return rename(made, path.join(outside, COPY)).then(
      () => path.join(workDir, COPY),
      () => null,
    );
  }

  endPrograms(group: number | null, graceMs: number): Promise<void> {
    return endNamespace(this.#id, graceMs, group);
  }

  /** With the first process of a namespace go all others. */
  async clear(): Promise<void> {
    const group = this.child.pid;
    if (group !== undefined) {
      signalGroup(group, "SIGKILL");
      await gone(group, this.#first);
    }
    await this.#remove();
  }
}

/** The table of all processes costs tens of milliseconds to read, so one that is known is asked for alone. */
async function gone(group: number, first: number | null): Promise<void> {
  const until = performance.now() + GONE_MS;
  const isThere = () => (first === null ? isGroupAlive(group) : isProcessAlive(first));
  while (performance.now() < until && (await isThere())) await delay(LOOK_EVERY_MS);
}

/**
 * Interrupts what is at work behind the wall of this cell, kills it after the grace, and then all that is behind it.
 * @param group the engine's, by its id behind the wall; null: whatever is there
 */
export async function endNamespace(id: string, graceMs: number, group: number | null = null): Promise<void> {
  const { keepers, groups } = await groupsInNamespaceOf(`${CELL}=${id}`, group);
  await Promise.all(groups.map((group) => endGroup(group, graceMs)));
  for (const pid of keepers) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended with the rest.
    }
  }
}
