/** One pass of one kind: batch after batch until nothing is left, or the pass has had its time. */

/** The Schedule starts the next pass within a minute. */
const PASS_MS = 20_000;

/** What a batch removed, and whether there may be more. */
export type Batch = { removed: number; more: boolean };

/** @returns rows removed. One batch at least, and a whole one: what it began it ends. */
export async function onePass(
  batch: () => Promise<Batch>,
  now: () => number = () => performance.now(),
): Promise<number> {
  const until = now() + PASS_MS;
  for (let total = 0; ; ) {
    const { removed, more } = await batch();
    total += removed;
    if (!more || now() > until) return total;
  }
}
