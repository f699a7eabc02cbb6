/**
 * Before a deployment is made: could its runs get their cloud credentials at all
 * (docs/rules/cloud.md#before-a-deployment-is-made)?
 */
import { sql } from "drizzle-orm";
import { readCache } from "../../platform/cache/readCache.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { RuntimeCredentialsUnavailableError, UnsupportedRuntimeProviderError } from "./errors.ts";
import type { RuntimeProviders } from "./provider.ts";
import { PROVIDER_TYPES, type ProviderType } from "./providerType.ts";
import type { cloudIntegrations } from "./schema.ts";

/**
 * How long a proof of identity is good for: creations come in bursts, and a revoked identity is found out at accept
 * anyway.
 */
const GOOD_FOR_MS = 60_000;
const TIMEOUT_MS = 5_000;

/**
 * The check for one process. Each provider is asked at most once a minute, and by one request at a time; a failure is
 * not kept.
 */
export function preflightOf(db: Queryable, providers: RuntimeProviders): (stackKey: string) => Promise<void> {
  const proofs = readCache(authenticate, { max: PROVIDER_TYPES.length, ttl: GOOD_FOR_MS });
  async function authenticate(type: ProviderType): Promise<"authenticated"> {
    const provider = providers.get(type);
    if (provider === undefined) throw new UnsupportedRuntimeProviderError(providers.keys());
    await withinTimeout((signal) => provider.authenticate(signal)).catch((error: unknown) => {
      throw new RuntimeCredentialsUnavailableError(type, error);
    });
    return "authenticated";
  }
  return async (stackKey) => {
    const rows = await db.execute<SqlRow<typeof cloudIntegrations, "provider_type">>(sql`
      select provider_type from cloud_integrations where stack_key = ${stackKey}`);
    const types = rows.map((row) => row.provider_type);
    // Certain refusals before any call.
    if (!types.every((type) => providers.has(type))) throw new UnsupportedRuntimeProviderError(providers.keys());
    await Promise.all(types.map((type) => proofs.forceFetch(type)));
  };
}

/** A source of credentials may hang without looking at its signal. */
async function withinTimeout(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const late = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => late.reject(signal.reason), { once: true });
  await Promise.race([work(signal), late.promise]);
}
