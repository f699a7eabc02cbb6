/** Keys of requests, and what each led to. */

import { sql } from "drizzle-orm";
import { jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { bytea, instant } from "../../platform/db/columns.ts";

export const idempotencyKeys = pgTable("idempotency_keys", {
  principalId: text("principal_id").notNull(),
  method: text("method").notNull(),
  path: text("path").notNull(),
  key: text("key").notNull(),
  bodySha256: text("body_sha256").notNull(),
  decisionId: uuid("decision_id"),
  answer: jsonb("answer"),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  /** What it counts for; the four texts together may be longer than an index entry. */
  scopeSha256: bytea("scope_sha256").generatedAlwaysAs(sql`sha256_of(principal_id, method, path, key)`).primaryKey(),
});
