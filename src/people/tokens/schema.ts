/** Personal access tokens, each bound to one user and one organization; hashes only. */
import { sql } from "drizzle-orm";
import { pgTable, text, uuid } from "drizzle-orm/pg-core";
import { bytea, instant } from "../../platform/db/columns.ts";

export const personalAccessTokens = pgTable("personal_access_tokens", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  userId: text("user_id").notNull(),
  orgId: uuid("org_id").notNull(),
  name: text("name").notNull(),
  tokenSha256: bytea("token_sha256").notNull(),
  expiresAt: instant("expires_at").notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});
