/** How many checks of an organization are under way at once. Pure. */

/** Before any check of a stack has ended. */
export const USUAL_CHECK_MS = 60_000;
/** So that a small organization does not wait for one check after the other. */
const AT_LEAST = 2;

/**
 * `mean` is what comes of the stacks' own times: how long each check takes, over how long its round is. A sixth more
 * works off what chance, a full hour or an outage put together, and is never exceeded however much is due.
 */
export function mostAtOnce(mean: number): number {
  return Math.max(AT_LEAST, Math.ceil(mean), Math.floor((mean * 7) / 6));
}

const FIRST_MS = 60_000;
const LONGEST_MS = 3_600_000;

/** Milliseconds until a check that was put off so many times in a row is looked at again. */
export function putOffFor(times: number): number {
  return Math.min(FIRST_MS * 2 ** Math.min(times, 10), LONGEST_MS);
}
