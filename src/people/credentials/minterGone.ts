/**
 * How long a service account's token works on after its minter's membership ran out
 * (docs/rules/credentials.md#a-token-does-not-outgrow-its-minting). Somebody who is away for some weeks and then signs
 * in again has broken nothing.
 */
import { sql } from "drizzle-orm";

export const MINTER_GONE_FOR = sql`interval '30 days'`;
