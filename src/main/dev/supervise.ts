/** Keeps a server process running: one that dies by itself is started again, at the same place. */

import { pause } from "../../platform/time/pause.ts";

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
  let current = first;
  const stopping = new AbortController();
  const { signal } = stopping;
  const runAgain = async (): Promise<string> => {
    try {
      current = await restart();
      if (signal.aborted) await current.stop();
      return `ended with ${await current.exited}`;
    } catch (error) {
      return `did not start: ${error instanceof Error ? error.message : String(error)}`;
    }
  };
  const watch = async () => {
    let how = `ended with ${await first.exited}`;
    while (!signal.aborted) {
      log(`${name} ${how}; starting it again`);
      const next = Date.now() + PAUSE_MS;
      how = await runAgain();
      await pause(next - Date.now(), signal);
    }
  };
  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await current.stop();
      await watching;
    },
  };
}
