/**
 * How long a service account's token works on after its minter's membership ran out, so that somebody who is away for
 * some weeks and then signs in again has broken nothing (docs/rules/credentials.md#a-token-does-not-outgrow-its-minting).
 */
import { sql } from "drizzle-orm";

export const MINTER_GONE_FOR = sql`interval '30 days'`;
