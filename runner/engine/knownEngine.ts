import { stat } from "node:fs/promises";

/** An engine whose version is known as long as its file is the one that was asked. */
export interface KnownEngine {
  program: string;
  file: string;
  version: string;
}

/** What tells one state of a file from every other, links followed. @throws when there is none */
export async function fileMark(program: string): Promise<string> {
  const { dev, ino, size, mtimeMs, ctimeMs } = await stat(program);
  return [dev, ino, size, mtimeMs, ctimeMs].join(":");
}

/** The version of this program, or null when nobody asked this very file. */
export async function knownVersion(program: string, known: readonly KnownEngine[]): Promise<string | null> {
  const engine = known.find((each) => each.program === program);
  if (engine === undefined) return null;
  const file = await fileMark(program).catch(() => null);
  return file === engine.file ? engine.version : null;
}
