/**
 * Which ways of signing in there are: the platform's, fixed at boot, and the organizations' own, read when asked for.
 */
import { sql } from "drizzle-orm";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { NamedRow, SqlRow } from "../../platform/db/sqlRow.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import type { Discovery } from "./discovery.ts";
import type { Provider, ProviderKey } from "./provider.ts";
import type { identitySources } from "./schema.ts";
import { sourceProvider } from "./sourceProvider.ts";
import { secretPlace } from "./sourceSecret.ts";

export type ProvidersDeps = {
  db: Queryable;
  keyring: Keyring;
  egress: Egress;
  discovery: Discovery;
  platform: readonly Provider[];
};

export type FoundSource = { id: string; provider: Provider };

/** One row of an organization's sign-in page. */
export type OfferedSource = NamedRow<typeof identitySources, "sourceSlug" | "displayName"> & { key: ProviderKey };

export class Providers {
  readonly #deps: ProvidersDeps;
  constructor(deps: ProvidersDeps) {
    this.#deps = deps;
  }

  get platform(): readonly Provider[] {
    return this.#deps.platform;
  }

  ofPlatform(key: string): Provider | undefined {
    return this.#deps.platform.find((provider) => provider.key === key);
  }

  /** The enabled sources of the organization with this login handle; of the platform's providers those there are. */
  async offered(handle: string): Promise<OfferedSource[]> {
    const rows = await this.#deps.db.execute<OfferedSource>(sql`
      select s.provider_key as key, s.source_slug as "sourceSlug", s.display_name as "displayName"
      from identity_sources s join organizations o on o.id = s.org_id
      where o.login_handle = ${handle.toLowerCase()} and s.enabled order by s.source_slug`);
    return rows.filter(({ key }) => key === "oidc" || this.ofPlatform(key) !== undefined);
  }

  /** An enabled OIDC source by its organization's handle and its slug. */
  sourceBySlug(handle: string, slug: string): Promise<FoundSource | undefined> {
    return this.#source(
      sql`s.org_id = (select id from organizations where login_handle = ${handle.toLowerCase()}) and s.source_slug = ${slug}`,
    );
  }

  /** The same by id, which only a stored sign-in knows. */
  sourceById(id: string): Promise<FoundSource | undefined> {
    return this.#source(sql`s.id = ${id}::uuid`);
  }

  async #source(which: ReturnType<typeof sql>): Promise<FoundSource | undefined> {
    const { db, keyring, discovery, egress } = this.#deps;
    const [row] = await db.execute<SourceRow>(sql`
      select s.id, s.org_id, s.display_name, s.oidc_issuer, s.oidc_client_id, s.oidc_groups_claim, s.groups_scope, s.client_secret
      from identity_sources s where ${which} and s.enabled and s.provider_key = 'oidc'`);
    if (row === undefined) return undefined;
    const secret = row.client_secret === null ? undefined : await keyring.open(row.client_secret, secretPlace(row.id));
    const source = {
      orgId: row.org_id,
      displayName: row.display_name,
      issuer: row.oidc_issuer,
      clientId: row.oidc_client_id,
      groupsClaim: row.oidc_groups_claim,
      groupsScope: row.groups_scope,
      clientSecret: secret?.toString("utf8"),
    };
    return { id: row.id, provider: sourceProvider(source, discovery, egress) };
  }
}

type SourceRow = SqlRow<
  typeof identitySources,
  | "id"
  | "org_id"
  | "display_name"
  | "oidc_issuer"
  | "oidc_client_id"
  | "oidc_groups_claim"
  | "groups_scope"
  | "client_secret"
>;
