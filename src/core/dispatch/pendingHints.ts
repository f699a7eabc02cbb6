/**
 * Hints between processes that runs became pending (docs/rules/dispatch.md#the-long-poll). A hint may be lost: each
 * process that has pollers waiting asks the database once a second anyway. NOTIFY takes a database-wide lock at
 * commit, hence one sender per process, at once for the first of a burst and then at most 20 times a second.
 */
import { sql } from "drizzle-orm";
import postgres from "postgres";
import { databaseAddress } from "../../platform/db/address.ts";
import type { Db } from "../../platform/db/client.ts";

const CHANNEL = "svc_runs_pending";
/** Sent by the database itself when rights or credentials end. */
const ACCESS_CHANNEL = "svc_access_changed";
const SPACING_MS = 50;
const RESUBSCRIBE_MS = { first: 100, longest: 5_000 };

/** Sends hints to the other processes. Never throws and never blocks its caller. */
export class HintSender {
  readonly #db: Db;
  #quietUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  send(): void {
    if (this.#timer !== undefined) return;
    const wait = this.#quietUntil - performance.now();
    if (wait <= 0) {
      this.#notify();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#notify();
    }, wait);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #notify(): void {
    this.#quietUntil = performance.now() + SPACING_MS;
    // A database that cannot be reached is seen by every request; the hint itself is not worth a word.
    this.#db.execute(sql`select pg_notify(${CHANNEL}, '')`).catch(() => {});
  }
}

/**
 * Listens on a connection of its own, and again after that was lost: the driver's own `listen` gives up when its first
 * attempt to come back fails. `onHint` is also called after each subscription, for what was missed meanwhile, and for
 * the process's own hints: one more look costs less than telling them apart.
 */
export class HintListener {
  readonly #url: string;
  readonly #onHint: () => void;
  readonly #onAccess: () => void;
  #client: postgres.Sql | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wait = RESUBSCRIBE_MS.first;
  #closed = false;

  constructor(url: string, onHint: () => void, onAccess: () => void = () => {}) {
    this.#url = url;
    this.#onHint = onHint;
    this.#onAccess = onAccess;
  }

  start(): void {
    const { url, ssl } = databaseAddress(this.#url);
    const options = {
      ssl,
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      fetch_types: false,
      connect_timeout: 5,
      onnotice: () => {},
      onclose: () => this.#again(),
      // Passed through by the driver, though its types do not say so.
      onnotify: (channel: string) => (channel === ACCESS_CHANNEL ? this.#onAccess() : this.#onHint()),
      connection: { application_name: "svc-hints" },
    };
    const client = postgres(url, options);
    this.#client = client;
    client.unsafe(`listen ${CHANNEL}; listen ${ACCESS_CHANNEL}`).then(
      () => {
        this.#wait = RESUBSCRIBE_MS.first;
        this.#onHint();
        this.#onAccess();
      },
      () => this.#again(),
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#client?.end({ timeout: 1 });
  }

  #again(): void {
    if (this.#closed || this.#timer !== undefined) return;
    this.#client?.end({ timeout: 0 }).catch(() => {});
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.start();
    }, this.#wait);
    this.#wait = Math.min(this.#wait * 2, RESUBSCRIBE_MS.longest);
  }
}
