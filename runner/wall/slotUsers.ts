/** Users of the machine that are runs: each run at work has one that no other run has. They need no account. */
import { execFile } from "node:child_process";
import { lstatSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { claimed, claimsFolder, giveBack, ownName } from "./slotClaims.ts";

const run = promisify(execFile);

/** Where everybody may make files. */
const SHARED = ["/tmp", "/var/tmp", "/dev/shm"];

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

/** Ends every process of the user at once, wherever it is. Never rejects. */
export async function killAllOf(uid: number): Promise<void> {
  const [program = "", ...args] = [...asUser(uid), "/bin/sh", "-c", "kill -9 -1"];
  // It is one of those processes itself.
  await run(program, args).catch(() => {});
}

/** Removes what the user left in the folders that are everybody's. */
export function removeFilesOf(uid: number, workDir: string): void {
  for (const folder of [workDir, ...SHARED]) {
    for (const name of entriesOf(folder)) {
      const file = path.join(folder, name);
      if (lstatSync(file, { throwIfNoEntry: false })?.uid === uid) rmSync(file, { recursive: true, force: true });
    }
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
