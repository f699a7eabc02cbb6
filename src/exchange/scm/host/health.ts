/**
 * How an integration's host answered last, for whoever looks after it: written beside its settings, at most once a
 * minute while nothing new is to be said, and never in the way of the call that it tells of.
 */
import { sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { DecryptionError } from "../../../platform/crypto/wrapping.ts";
import type { Queryable } from "../../../platform/db/client.ts";
import { HostError, type HostFailure } from "./errors.ts";

/** What a host says of the thing that was asked about, and not of the integration. */
const ANSWERS: ReadonlySet<HostFailure> = new Set(["not_found", "no_branch", "unacceptable", "behind", "too_large"]);
const TOLD_FOR_MS = 60_000;
const REMEMBERED = 1_000;

export class IntegrationHealth {
  readonly #db: Pick<Queryable, "execute">;
  /** What was written last of each, for a minute. */
  readonly #told = new LRUCache<string, { failure: string | null }>({ max: REMEMBERED, ttl: TOLD_FOR_MS });

  constructor(db: Pick<Queryable, "execute">) {
    this.#db = db;
  }

  async succeeded(integrationId: string): Promise<void> {
    await this.#tell(integrationId, null);
  }

  /** Other errors say nothing of the integration. */
  async failed(integrationId: string, error: unknown): Promise<void> {
    if (error instanceof DecryptionError) await this.#tell(integrationId, "its secrets could not be decrypted");
    if (!(error instanceof HostError)) return;
    await this.#tell(integrationId, ANSWERS.has(error.failure) ? null : error.reason);
  }

  async #tell(integrationId: string, failure: string | null): Promise<void> {
    if (this.#told.get(integrationId)?.failure === failure) return;
    this.#told.set(integrationId, { failure });
    const written =
      failure === null
        ? sql`update scm_integrations set last_success_at = svc_now() where id = ${integrationId}`
        : sql`update scm_integrations set last_failure_at = svc_now(), last_failure = ${failure} where id = ${integrationId}`;
    // The call has its outcome already; what is not written now is written with the next one.
    await this.#db.execute(written).catch(() => this.#told.delete(integrationId));
  }
}
