/** After something new was refused as well, it is not made anew so long. */
const IN_VAIN_MS = 30_000;

/**
 * Something kept that holds credentials, as a cloud's client does: work that it is refused for makes it anew and is
 * done once more. All who were refused the same one share the next.
 * @param isOutdated whether an error says that what is kept is refused
 */
export function renewable<T>(
  make: () => T,
  isOutdated: (error: unknown) => boolean,
  clock: { now(): number } = performance,
): <R>(work: (kept: T) => Promise<R>) => Promise<R> {
  let kept = make();
  let inVainUntil = Number.NEGATIVE_INFINITY;
  return async (work) => {
    const used = kept;
    try {
      return await work(used);
    } catch (error) {
      if (!isOutdated(error) || clock.now() < inVainUntil) throw error;
    }
    if (kept === used) kept = make();
    try {
      return await work(kept);
    } catch (error) {
      if (isOutdated(error)) inVainUntil = clock.now() + IN_VAIN_MS;
      throw error;
    }
  };
}
