/** Work on each of many, so many at once. The first failure is thrown, and nothing new is begun after it. */
export async function eachAtOnce<T>(of: readonly T[], atOnce: number, work: (one: T) => Promise<void>): Promise<void> {
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (next < of.length && !failed) {
      await work(of[next++] as T).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, of.length) }, worker));
}
