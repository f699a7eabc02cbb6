/**
 * Whether a value read from JSON is nested more than `max` levels deep. Without recursion: the depth is what must not
 * be trusted yet.
 */
export function isDeeperThan(value: unknown, max: number): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= max) return true;
    level = level.flatMap((container) => Object.values(container)).filter(isContainer);
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
