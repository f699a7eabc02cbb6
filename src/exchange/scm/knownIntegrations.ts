/**
 * Integrations of organizations that get deliveries, kept between them with their secrets. What is kept is never
 * believed for itself: the statement that stores a delivery compares its `version` with the rows, so a change holds at
 * once in every copy.
 */
import { eq, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Db } from "../../platform/db/client.ts";
import { openAuth } from "./authConfig.ts";
import type { HostKind } from "./hostKind.ts";
import { integrationsInOrder } from "./integrations.ts";
import { LooksInTurn } from "./looksInTurn.ts";
import { type IntegrationRow, scmIntegrations } from "./schema.ts";

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

  readonly #versions = new LooksInTurn((orgIds) => this.#versionsOf(orgIds));
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
   * As they are in a moment, for strangers who have brought too much already: what is remembered of them if it is still
   * so. Null: the organization has none.
   */
  async readInTurn(orgId: string): Promise<OrgIntegrations | null> {
    const version = await this.#versions.find(orgId);
    if (version === undefined) return null;
    const known = this.#known.get(orgId);
    return known?.version === version ? known : this.read(orgId);
  }

  async #versionsOf(orgIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#db.execute<{ org: string; version: string }>(sql`
      select i.org_id as org, scm_integrations_version(i.org_id) as version
      from (select distinct org_id from scm_integrations
        where org_id = any(${`{${orgIds.join(",")}}`}::uuid[])) i`);
    return new Map(rows.map(({ org, version }) => [org, version]));
  }

  /** The secret of an integration that is another organization's. @throws as `secretOf` */
  async elsewhere(id: string): Promise<{ hostKind: HostKind; secret: string | undefined } | null> {
    const [row] = await this.#db.select().from(scmIntegrations).where(eq(scmIntegrations.id, id));
    if (row === undefined) return null;
    return { hostKind: row.hostKind, secret: (await openAuth(this.#keyring, row)).webhook_secret };
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
