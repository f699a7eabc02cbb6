/**
 * What a command holds is noted while it runs, since one that is killed cannot say what it leaves behind: the next
 * command says it.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isAlive } from "../terminal/isAlive.ts";

export type Held = {
  host: string;
  orgId: string;
  stackId: string;
  /** Null while it is not known whether there is one. */
  id: string | null;
};
type Noted = Held & { pid: number; machine: string; at: string };

const LONGEST_MS = 7 * 86_400_000;

/** Without a folder that can be written there is no note, and the command goes on. */
export class HeldNote {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = join(notesIn(folder), `${process.pid}-${randomUUID()}.json`);
  }

  write(held: Held): void {
    const noted: Noted = { ...held, pid: process.pid, machine: hostname(), at: new Date().toISOString() };
    try {
      mkdirSync(join(this.#file, ".."), { recursive: true, mode: 0o700 });
      writeFileSync(this.#file, JSON.stringify(noted), { mode: 0o600 });
    } catch {
      // As above.
    }
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }
}

/** What killed commands held of this organization; told once. */
export function takeLeftBehind(folder: string, { host, orgId }: Pick<Held, "host" | "orgId">): Held[] {
  const left: Held[] = [];
  for (const { file, noted } of notes(folder)) {
    const old = noted === null || Date.now() - Date.parse(noted.at) > LONGEST_MS;
    const mine = noted !== null && noted.host === host && noted.orgId === orgId;
    if (!old && (!mine || noted.machine !== hostname() || isAlive(noted.pid))) continue;
    rmSync(file, { force: true });
    if (!old) left.push(noted as Held);
  }
  return left;
}

function notes(folder: string): { file: string; noted: Noted | null }[] {
  try {
    return readdirSync(notesIn(folder)).map((name) => {
      const file = join(notesIn(folder), name);
      return { file, noted: parsed(readFileSync(file, "utf8")) };
    });
  } catch {
    return [];
  }
}

function parsed(text: string): Noted | null {
  try {
    return JSON.parse(text) as Noted;
  } catch {
    return null;
  }
}

function notesIn(folder: string): string {
  return join(folder, "held");
}
