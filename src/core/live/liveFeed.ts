/**
 * Who follows an organization waits here. One look per process asks for all followed organizations together, however
 * many readers there are and whatever happens in the meantime; none while nobody follows. What differs from the look
 * before is a hint to each reader who may read it.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Queryable } from "../../platform/db/client.ts";
import { type LiveRow, readLive } from "./liveRows.ts";

/** Between two looks; longer where a look itself takes long, so that looking takes a fifth of the time at most. */
const TICK_MS = 200;
const SHARE = 4;
/** A row may be committed this long after the time in it. */
const LATE_S = 10;
const LONGEST_S = 3_600;

type Follower = {
  changed(row: LiveRow): void;
  /** Where the organization stands is known: whatever changes from now on is told. */
  ready(): void;
};
type Followed = { followers: Set<Follower>; versions: Map<string, string> | null };

export class LiveFeed {
  readonly #db: Queryable;
  readonly #orgs = new Map<string, Followed>();
  /** Looks serve everyone, so they must not count as the statements of whichever request happened to ask. */
  readonly #outsideOfRequests = AsyncLocalStorage.snapshot();
  #timer: NodeJS.Timeout | undefined;
  #lookedAt = performance.now();

  constructor(db: Queryable, closing: AbortSignal) {
    this.#db = db;
    closing.addEventListener("abort", () => this.#orgs.clear(), { once: true });
  }

  /** How many organizations are followed, for tests. */
  get followed(): number {
    return this.#orgs.size;
  }

  /** @returns what ends it */
  follow(orgId: string, follower: Follower): () => void {
    const org = this.#orgs.get(orgId) ?? { followers: new Set<Follower>(), versions: null };
    this.#orgs.set(orgId, org);
    org.followers.add(follower);
    if (org.versions !== null) follower.ready();
    this.#schedule(0);
    return () => {
      org.followers.delete(follower);
      if (org.followers.size === 0 && this.#orgs.get(orgId) === org) this.#orgs.delete(orgId);
    };
  }

  #schedule(ms: number): void {
    this.#timer ??= setTimeout(() => this.#outsideOfRequests(() => void this.#tick()), ms);
  }

  async #tick(): Promise<void> {
    const started = performance.now();
    // With the database away readers go on waiting, and the next look reaches further back.
    await this.#look(started).catch(() => {});
    this.#timer = undefined;
    if (this.#orgs.size > 0) this.#schedule(Math.max(TICK_MS, (performance.now() - started) * SHARE));
  }

  async #look(now: number): Promise<void> {
    const asked = new Map(this.#orgs);
    if (asked.size === 0) return;
    const endedSeconds = Math.min((now - this.#lookedAt) / 1_000 + LATE_S, LONGEST_S);
    const rows = Map.groupBy(await readLive(this.#db, [...asked.keys()], endedSeconds), (row) => row.org_id);
    this.#lookedAt = now;
    for (const [orgId, org] of asked) tell(org, rows.get(orgId) ?? []);
  }
}

/** The first look at an organization only says where it stands. */
function tell(org: Followed, rows: readonly LiveRow[]): void {
  const before = org.versions;
  org.versions = new Map(rows.map((row) => [row.id, row.version]));
  if (before === null) {
    for (const follower of org.followers) follower.ready();
    return;
  }
  for (const row of rows) {
    if (before.get(row.id) === row.version) continue;
    for (const follower of org.followers) follower.changed(row);
  }
}
