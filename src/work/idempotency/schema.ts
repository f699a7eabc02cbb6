/** Keys of requests, and what each led to. */

import { sql } from "drizzle-orm";
import { jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";

export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    principalId: text("principal_id").notNull(),
    method: text("method").notNull(),
    path: text("path").notNull(),
    key: text("key").notNull(),
    bodySha256: text("body_sha256").notNull(),
    decisionId: uuid("decision_id"),
    answer: jsonb("answer"),
    createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  },
  (t) => [primaryKey({ columns: [t.principalId, t.method, t.path, t.key] })],
);
