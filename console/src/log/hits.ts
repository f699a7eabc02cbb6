/** The place of the next hit in a circle; -1 is before the first. Pure. */
export function nextHit(count: number, now: number, step: 1 | -1): number {
  if (now === -1) return step === 1 ? 0 : count - 1;
  return (now + step + count) % count;
}
