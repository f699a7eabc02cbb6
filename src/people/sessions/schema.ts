/** Browser sessions: hashes only. */
import { sql } from "drizzle-orm";
import { pgTable, text, uuid } from "drizzle-orm/pg-core";
import { bytea, instant } from "../../platform/db/columns.ts";

export const sessions = pgTable("sessions", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  userId: text("user_id").notNull(),
  tokenSha256: bytea("token_sha256").notNull(),
  csrfSha256: bytea("csrf_sha256").notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  expiresAt: instant("expires_at").notNull(),
  /** The identity it was begun with. Null for sessions from before this was recorded. */
  identityId: uuid("identity_id"),
});
