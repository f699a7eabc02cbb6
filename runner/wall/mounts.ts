/** What a run sees of the machine's files behind `bubblewrap`: all of it to read, but for what is hidden. */
import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { RunnerConfig } from "../config/config.ts";
import { ROOT } from "../program/bundle.ts";
import type { EphemeralProgram } from "../program/ephemeralProgram.ts";

/** Where people and other services keep theirs, sockets included. */
const CLOSED = ["/root", "/home", "/run", "/tmp", "/var/tmp", "/mnt", "/media", "/srv", "/boot"];
/** Folders that a whole machine shares: a program in them cannot be shut off from the rest. */
const COMMON = new Set(["/", "/etc", "/usr", "/var", "/opt", "/lib", "/usr/local", "/usr/local/etc", "/var/lib"]);

export interface Mount {
  how: "hidden" | "shown" | "writable";
  at: string;
}

type Settings = Pick<
  RunnerConfig,
  "keyFile" | "cliConfigFile" | "pluginCacheDir" | "terraformPath" | "tofuPath" | "hide" | "show" | "write"
>;

/** The group's key is in a folder that cannot be hidden, and a file alone stays hidden only until it is replaced. */
export class KeyInOpen extends Error {
  override name = "KeyInOpen";
}

/**
 * In the order in which they are made: a folder before what is in it. Of two at one place what hides comes first, so
 * that an operator can show what would be hidden by itself, but never the folder of the key. @throws KeyInOpen
 */
export function mountsOf(settings: Settings, program: EphemeralProgram): Mount[] {
  const keys = keyFolders(settings.keyFile);
  const hidden = [...CLOSED, homedir(), ROOT, ...settings.hide].flatMap(real);
  const shown = [...programs(settings, program), ...settings.show].flatMap(real);
  const all: Mount[] = [
    ...hidden.map((at) => ({ how: "hidden" as const, at })),
    ...shown.filter((at) => !keys.includes(at)).map((at) => ({ how: "shown" as const, at })),
    ...settings.write.flatMap(real).map((at) => ({ how: "writable" as const, at })),
    ...keys.map((at) => ({ how: "hidden" as const, at })),
  ];
  const last = new Map(all.map((mount) => [mount.at, mount]));
  return [...last.values()].sort((a, b) => depth(a.at) - depth(b.at));
}

/** Beside the name that was given, where links lead: a mounted secret is a link to another folder. */
function keyFolders(keyFile: string): string[] {
  const folders = [keyFile, realpathSync(keyFile)].map((file) => realpathSync(path.dirname(path.resolve(file))));
  const open = folders.find((folder) => COMMON.has(folder));
  if (open === undefined) return [...new Set(folders)];
  throw new KeyInOpen(`the key file is in ${open}, which runs have to see; put it into a folder of its own`);
}

/** What a run executes may be in a folder that is hidden. */
function programs(settings: Settings, { file }: EphemeralProgram): string[] {
  const onPath = (process.env.PATH ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const named = [...engines(settings), settings.cliConfigFile, settings.pluginCacheDir];
  const own = file.endsWith(".ts")
    ? ["runner", "src", "node_modules", "package.json", "tsconfig.json"].map((name) => path.join(ROOT, name))
    : [path.dirname(file)];
  const links = onPath.flatMap((folder) =>
    ["terraform", "tofu", "git"].map((name) => path.join(folder, name)).filter((each) => existsSync(each)),
  );
  const shown = [process.execPath, "/etc/resolv.conf", ...own, ...named.filter((each) => each !== undefined)];
  return [...shown, ...onPath, ...links].filter((each) => !isClosed(each));
}

/** With what lies beside them: an engine may be a small program and a library. */
function engines({ terraformPath, tofuPath }: Settings): string[] {
  return [terraformPath, tofuPath].flatMap((file) =>
    file === undefined ? [] : [file, ...real(file).map((found) => path.dirname(found))],
  );
}

/** A folder such as somebody's home is never shown for being on PATH. */
function isClosed(folder: string): boolean {
  return [...CLOSED, homedir(), ROOT, "/"].includes(path.resolve(folder));
}

/** None where there is no such thing. */
function real(file: string): string[] {
  try {
    return [realpathSync(file)];
  } catch {
    return [];
  }
}

function depth(folder: string): number {
  return folder === "/" ? 0 : folder.split("/").length;
}
