import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { openWorker } from "../data/worker.ts";
import { LogClient, type LogSnapshot } from "./logClient.ts";
import type { LogTarget } from "./logSource.ts";
import workerUrl from "./logWorker.ts?worker&url";

const NOTHING: LogSnapshot = { grown: null, found: null, version: 0 };

/** The log at `url`, for as long as it is on screen. What the target says besides counts when it is opened. */
export function useLog(target: LogTarget): { client: LogClient | null; snapshot: LogSnapshot } {
  const [client, setClient] = useState<LogClient | null>(null);
  const { url } = target;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a log that goes on tells of its later stages itself
  useEffect(() => {
    const opened = new LogClient(openWorker(workerUrl), target);
    setClient(opened);
    return () => {
      opened.close();
      setClient(null);
    };
  }, [url]);
  const store = useMemo(
    () => (client === null ? { subscribe: () => () => {}, snapshot: () => NOTHING } : client),
    [client],
  );
  return { client, snapshot: useSyncExternalStore(store.subscribe, store.snapshot) };
}
