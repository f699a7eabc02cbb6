/** What an archive may hold: what packs a tree keeps to it, and what unpacks one refuses all else. */
import { RunFailed } from "../service/outcome.ts";

const MAX_NAME = 1_024;
/** Of one step of a path, in bytes: what file systems take. */
const MAX_STEP = 255;

/** The refusal of an uploaded archive; `why` may name what is inside it, as the one who uploaded it is told. */
export class ArchiveRefused extends RunFailed {
  readonly why: string;
  /** Of the file system, where that refused and the archive is not to blame. */
  readonly code: string | null;

  constructor(why: string, code: string | null = null) {
    super(`The uploaded source cannot be unpacked: ${why}.`);
    this.why = why;
    this.code = code;
  }
}

/** The name in steps from the root; none for the root itself. @throws ArchiveRefused */
export function partsOf(name: string): string[] {
  if (isUnfit(name)) throw new ArchiveRefused(`the name ${shown(name)} is too long or has control characters`);
  if (name.startsWith("/")) throw new ArchiveRefused(`the path ${shown(name)} is absolute`);
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw new ArchiveRefused(`the path ${shown(name)} leads out of it`);
  return parts;
}

/**
 * A symbolic link may climb only at the beginning of its target, where it starts from a real directory, and never above
 * the root: whatever links follow one another, the end is inside. @throws ArchiveRefused
 */
export function linkParts(name: string, target: string): string[] {
  const parts = partsOf(name);
  const steps = target.split("/").filter((step) => step !== "" && step !== ".");
  const down = steps.findIndex((step) => step !== "..");
  const climbs = down === -1 ? steps.length : down;
  const outside = target.startsWith("/") || climbs >= parts.length || steps.slice(climbs).includes("..");
  if (outside || target === "" || isUnfit(target)) throw new ArchiveRefused(`the link ${shown(name)} leads out of it`);
  return parts;
}

export function shown(name: string): string {
  return JSON.stringify(name.slice(0, 200));
}

function isUnfit(name: string): boolean {
  return (
    name.length > MAX_NAME || /\p{Cc}/u.test(name) || name.split("/").some((step) => Buffer.byteLength(step) > MAX_STEP)
  );
}
