/** What a runner refuses to unpack, told before anything is sent. Pure. */
import { usage } from "../exit/failure.ts";

const MAX_NAME = 1_024;
/** Of one step of a path, in bytes. */
const MAX_STEP = 255;
export const MAX_ENTRIES = 50_000;
/** Of all files together. */
export const MAX_BYTES = 536_870_912;
/** As it is sent. */
export const MAX_PACKED_BYTES = 67_108_864;
/** Of how many bytes one packed byte may be, once there are more than these. */
export const MAX_RATIO = 200;
export const RATIO_FROM_BYTES = 16_777_216;

const RENAME = "Give it another name, or leave it out by a line in .terraformignore";
export const LEAVE_OUT = "Leave out by lines in .terraformignore what the plan does not need";

/** @param path from the root, with `/`. @throws Failure: usage */
export function assertName(path: string): void {
  if (isUnfit(path)) throw refused(`the name ${shown(path)} is too long or has control characters`, RENAME);
}

/**
 * A link may climb only at the beginning of its target, and never above the root: wherever links lead, it is inside.
 * @throws Failure: usage
 */
export function assertLink(path: string, target: string): void {
  const steps = target.split("/").filter((step) => step !== "" && step !== ".");
  const down = steps.findIndex((step) => step !== "..");
  const climbs = down === -1 ? steps.length : down;
  const depth = path.split("/").length;
  const outside = target === "" || target.startsWith("/") || climbs >= depth || steps.slice(climbs).includes("..");
  if (outside || isUnfit(target)) {
    throw refused(`the link ${shown(path)} leads out of it`, `Leave it out by a line in .terraformignore: ${path}`);
  }
}

export function refused(why: string, hint: string): Error {
  return usage(`This tree cannot be planned: ${why}.`, hint);
}

export function shown(path: string): string {
  return JSON.stringify(path.slice(0, 200));
}

function isUnfit(path: string): boolean {
  const steps = path.split("/");
  return path.length > MAX_NAME || /\p{Cc}/u.test(path) || steps.some((step) => Buffer.byteLength(step) > MAX_STEP);
}
