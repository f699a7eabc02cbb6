/**
 * Integrations of organizations that get deliveries, kept between them with their secrets. What is kept is never
 * believed for itself: the statement that stores a delivery compares its `version` with the rows, so a change holds at
 * once in every copy.
 */
import { sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Db } from "../../platform/db/client.ts";
import { openAuth } from "./authConfig.ts";
import { integrationsInOrder } from "./integrations.ts";
import type { IntegrationRow } from "./schema.ts";

export type OrgIntegrations = {
  inOrder: IntegrationRow[];
  /** Changes with every write to one of them. */
  version: string;
  /** A failure is not kept. @throws DecryptionError, KeyServiceUnavailableError */
  secretOf(id: string): Promise<string | undefined>;
};

const REMEMBERED = 1_000;
/** An id is never given twice, and is told to nobody before the integration is there. */
const UNKNOWN_MS = 300_000;
const UNKNOWN_REMEMBERED = 10_000;

export class KnownIntegrations {
  readonly #db: Db;
  readonly #keyring: Pick<Keyring, "open">;
  readonly #known = new LRUCache<string, OrgIntegrations>({ max: REMEMBERED });

  readonly #unknown = new LRUCache<string, true>({ max: UNKNOWN_REMEMBERED, ttl: UNKNOWN_MS });

  constructor(db: Db, keyring: Pick<Keyring, "open">) {
    this.#db = db;
    this.#keyring = keyring;
  }

  /** What is remembered, or null. */
  known(orgId: string): OrgIntegrations | null {
    return this.#known.get(orgId) ?? null;
  }

  /** Whether it was looked for a moment ago, and is not there. */
  isUnknown(orgId: string, id: string): boolean {
    return this.#unknown.has(`${orgId} ${id}`);
  }

  noteUnknown(orgId: string, id: string): void {
    this.#unknown.set(`${orgId} ${id}`, true);
  }

  /**
   * Read them now, and remember them when there are any: strangers must not fill the memory with names they make up.
   */
  async read(orgId: string): Promise<OrgIntegrations> {
    // Before the rows: what changes in between makes the version older than what is kept, and the next store says so.
    const [row] = (await this.#db.execute(sql`select scm_integrations_version(${orgId}) as version`)) as unknown as [
      { version: string },
    ];
    const inOrder = await integrationsInOrder(this.#db, orgId);
    const secrets = new Map<string, Promise<string | undefined>>();
    const open = async (id: string) => {
      const row = inOrder.find((integration) => integration.id === id);
      return row && (await openAuth(this.#keyring, row)).webhook_secret;
    };
    const integrations: OrgIntegrations = {
      inOrder,
      version: row.version,
      secretOf(id) {
        const known = secrets.get(id) ?? open(id);
        secrets.set(id, known);
        // A key service that is away comes back, and so may a key.
        known.catch(() => secrets.get(id) === known && secrets.delete(id));
        return known;
      },
    };
    if (inOrder.length > 0) this.#known.set(orgId, integrations);
    else this.#known.delete(orgId);
    return integrations;
  }
}
