/** Users of the machine that are runs: each run at work has one that no other run has. They need no account. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { processesOfUser } from "../process/processTable.ts";
import { claimed, claimsFolder, giveBack, ownName } from "./slotClaims.ts";

const run = promisify(execFile);

/** How long a user's processes may resist. A user that still has one is not taken again. */
const GONE_MS = 10_000;
/** How long it takes at most to end all of them at once. */
const AT_ONCE_MS = 500;

/** Each run's of any coordinator on this machine. */
export class SlotUsers {
  readonly #first: number;
  readonly #claims: string;
  readonly #owner = ownName();
  readonly #taken = new Set<number>();

  /** @throws when nowhere can be written down who takes which */
  constructor(first: number, workDir: string) {
    this.#first = first;
    this.#claims = claimsFolder(workDir);
  }

  take(): number {
    let uid = this.#first;
    while (this.#taken.has(uid) || !claimed(this.#claims, uid, this.#owner)) uid += 1;
    this.#taken.add(uid);
    return uid;
  }

  giveBack(uid: number): void {
    this.#taken.delete(uid);
    giveBack(this.#claims, uid, this.#owner);
  }
}

/** Starts a program as that user, who is no other user's, and whom no program makes more than that. */
export function asUser(uid: number): string[] {
  const user = ["--reuid", String(uid), "--regid", String(uid), "--clear-groups"];
  return ["setpriv", ...user, "--no-new-privs", "--inh-caps=-all", "--"];
}

/** Whether this is the process group of something of the user's that is at work. */
export function isGroupOf(uid: number, group: number): boolean {
  return processesOfUser(uid).some((process) => process.group === group);
}

/**
 * Ends every process of the user, wherever it is. Never rejects. All at once, or one could start the next meanwhile.
 * What does that is a process of the same user, which the others may stop or kill, so each is ended by root as well,
 * until none is left.
 */
export async function killAllOf(uid: number): Promise<void> {
  const [program = "", ...args] = [...asUser(uid), "/bin/sh", "-c", "kill -9 -1"];
  const until = performance.now() + GONE_MS;
  do {
    const all = run(program, args, { timeout: AT_ONCE_MS, killSignal: "SIGKILL" });
    // It is one of those processes itself.
    await all.catch(() => {});
    for (const { pid } of processesOfUser(uid)) end(pid);
  } while (performance.now() < until && processesOfUser(uid).length > 0);
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}
