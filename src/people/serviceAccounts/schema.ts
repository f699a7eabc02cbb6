/** Service accounts and the hashes of their tokens. */
import { sql } from "drizzle-orm";
import { jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { bytea, instant } from "../../platform/db/columns.ts";

export const serviceAccounts = pgTable("service_accounts", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  name: text("name").notNull(),
  disabledAt: instant("disabled_at"),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});

export const serviceAccountTokens = pgTable("service_account_tokens", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  serviceAccountId: uuid("service_account_id").notNull(),
  name: text("name").notNull(),
  tokenSha256: bytea("token_sha256").notNull(),
  createdBy: text("created_by"),
  /** What its account might do when it was minted: rows of `role_permissions` without their roles. */
  permissions: jsonb("permissions").$type<object[]>().notNull(),
  /** Since when who minted it is no member of the organization any more. */
  minterLeftAt: instant("minter_left_at"),
  expiresAt: instant("expires_at").notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});
