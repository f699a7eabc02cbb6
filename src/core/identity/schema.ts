/** Keys that sign the identities of runs. */
import { sql } from "drizzle-orm";
import { jsonb, pgTable, uuid } from "drizzle-orm/pg-core";
import type { JWK } from "jose";
import { bytea, instant } from "../../platform/db/columns.ts";

export const identityKeys = pgTable("identity_keys", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  /** PKCS#8, sealed. */
  privateKey: bytea("private_key").notNull(),
  publicJwk: jsonb("public_jwk").$type<JWK>().notNull(),
  signsFrom: instant("signs_from").notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});
