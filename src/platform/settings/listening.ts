/** Listening where a setting says, or elsewhere when it says that this is as good. */

export type ListenAt = { host: string; port: number; orFree?: true };

/**
 * A second program of a kind on one machine takes another port where its operator asked for none.
 * @throws what `listen` throws
 */
export async function listenAt<T>({ port, orFree }: ListenAt, listen: (port: number) => Promise<T>): Promise<T> {
  try {
    return await listen(port);
  } catch (error) {
    if (!orFree || (error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    return listen(0);
  }
}
