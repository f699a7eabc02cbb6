/** Keeps a server process running: one that dies by itself is started again, at the same place. */

/** What a supervised server offers; `exited` tells how it ended. */
export type Server = { exited: Promise<string>; stop(): Promise<void> };

export type Supervised = { stop(): Promise<void> };

const PAUSE_MS = 1_000;

/**
 * Watch `first`; whenever it ends without having been asked to, call `restart` until that works. A server that dies at
 * once every time is tried once a second: its log says why.
 */
export function supervise<S extends Server>(
  name: string,
  first: S,
  restart: () => Promise<S>,
  log: (line: string) => void,
): Supervised {
  let current: S | undefined = first;
  let stopping = false;
  let endPause = () => {};
  const watch = async () => {
    for (;;) {
      const how = await current?.exited;
      if (stopping) return;
      log(`${name} ended with ${how}; starting it again`);
      current = undefined;
      while (current === undefined && !stopping) {
        try {
          current = await restart();
        } catch (error) {
          log(`${name} did not start: ${error instanceof Error ? error.message : String(error)}`);
          await new Promise<void>((resolve) => {
            endPause = resolve;
            setTimeout(resolve, PAUSE_MS);
          });
        }
      }
      if (stopping) await current?.stop();
    }
  };
  const watching = watch();
  return {
    async stop() {
      stopping = true;
      endPause();
      await current?.stop();
      await watching;
    },
  };
}
