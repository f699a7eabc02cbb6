/**
 * What each of them comes to, once all have ended: work that goes on after its run has failed would meet what is torn
 * down there. @throws the first failure in their order
 */
export async function together<T extends readonly unknown[]>(work: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  await Promise.allSettled(work);
  return (await Promise.all(work)) as unknown as T;
}
