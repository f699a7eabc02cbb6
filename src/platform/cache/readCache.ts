import { LRUCache } from "lru-cache";

/**
 * Keeps what was read elsewhere, the most recently used first. Who asks for a key while it is being read waits for that
 * read. A failure is not kept, and a read that is pushed out before its end still answers whoever waits for it. Ask
 * with `forceFetch`.
 */
export function readCache<K extends {}, V extends {}, C = undefined>(
  read: (key: K, context: C) => Promise<V>,
  limits: { max: number; ttl?: number; perf?: { now(): number } },
): LRUCache<K, V, C> {
  return new LRUCache<K, V, C>({
    ...limits,
    ttlResolution: 0,
    ignoreFetchAbort: true,
    fetchMethod: (key, _stale, { context }) => read(key, context),
  });
}
