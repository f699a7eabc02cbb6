/**
 * What every process does for Temporal, for as long as it lives: make sure of the namespace, the search attributes and
 * the Schedules, and notice that the cluster is another one, or was away, so that the reconciler runs at once.
 */
import { sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import { pause, spread } from "../../platform/time/pause.ts";
import type { Temporal } from "../temporal/client.ts";
import { ensureNamespace, readIdentity, type TemporalIdentity } from "../temporal/namespace.ts";
import { ensureSchedules, runJobNow } from "../temporal/schedules.ts";

export type UpkeepOptions = {
  db: Db;
  temporal: Temporal;
  onError?: (error: unknown) => void;
  /** Temporal answered for the first time, or again. */
  onReachable?: () => void;
  /** Times in milliseconds, shortened by tests. */
  lookMs?: number;
  ensureMs?: number;
};

export type Upkeep = {
  /** Whether the last look found Temporal in order. */
  ok(): boolean;
  close(): Promise<void>;
};

/** A look is two calls; a wiped cluster is noticed within this long. */
const LOOK_MS = 10_000;
const ENSURE_MS = 60_000;
/** While it is away, so that its return is noticed soon. */
const RETRY_MS = 2_000;

export function startUpkeep(options: UpkeepOptions): Upkeep {
  const { db, temporal, onError = () => {}, onReachable = () => {} } = options;
  const { lookMs = LOOK_MS, ensureMs = ENSURE_MS } = options;
  const closing = new AbortController();
  let ok = false;
  let ensuredAt = Number.NEGATIVE_INFINITY;
  /** A boot and a return count as reasons to compare everything; so does another identity. */
  let mustReconcile = true;
  temporal.onAway(() => {
    mustReconcile = true;
  });
  /** The identity that was last found to be compared; an idle process asks the database no more about it. */
  let compared: TemporalIdentity | null = null;

  async function look(): Promise<void> {
    const identity = await readIdentity(temporal);
    if (identity === null || performance.now() - ensuredAt >= ensureMs) {
      await ensureNamespace(temporal);
      await ensureSchedules(temporal);
      ensuredAt = performance.now();
    }
    if (!ok) onReachable();
    ok = true;
    if (!mustReconcile && identity !== null && isSame(identity, compared)) return;
    if (mustReconcile || identity === null || !(await isKnown(db, identity))) {
      // Before the call: an outage that is noticed during it asks for another.
      mustReconcile = false;
      await runJobNow(temporal, "reconciler");
    } else {
      compared = identity;
    }
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      let rest = lookMs;
      try {
        await look();
      } catch (error) {
        if (ok) onError(error);
        ok = false;
        mustReconcile = true;
        ensuredAt = Number.NEGATIVE_INFINITY;
        rest = Math.min(RETRY_MS, lookMs);
      }
      // Processes that were started together do not look together for ever.
      await pause(spread(rest, [0.8, 1.2], Math.random()), closing.signal);
    }
  }

  const running = run();
  return {
    ok: () => ok,
    async close() {
      closing.abort();
      await running;
    },
  };
}

/**
 * The reconciler remembers what it has compared, at the end of a pass; until then every look asks for one. A database
 * that is away is no news about Temporal: the next look asks again.
 */
async function isKnown(db: Db, { clusterId, namespaceId }: TemporalIdentity): Promise<boolean> {
  try {
    const rows = await db.execute(sql`
      select 1 from temporal_identity where cluster_id = ${clusterId} and namespace_id = ${namespaceId}`);
    return rows.length > 0;
  } catch {
    return true;
  }
}

function isSame(a: TemporalIdentity, b: TemporalIdentity | null): boolean {
  return a.clusterId === b?.clusterId && a.namespaceId === b.namespaceId;
}
