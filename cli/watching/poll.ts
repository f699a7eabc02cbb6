/** How often a deployment is looked at: often at first, when most happens, then as seldom as is polite. Pure. */
export function pollPause(sinceChangeMs: number): number {
  if (sinceChangeMs < 10_000) return 400;
  if (sinceChangeMs < 60_000) return 1_000;
  return sinceChangeMs < 600_000 ? 2_500 : 5_000;
}
