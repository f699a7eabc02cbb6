/** Archives that people upload for local plans. */
import { sql } from "drizzle-orm";
import { bigint, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";

export const localSources = pgTable("local_sources", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  stackKey: uuid("stack_key").notNull(),
  objectKey: text("object_key").notNull(),
  size: bigint("size", { mode: "number" }),
  sha256: text("sha256"),
  createdBy: text("created_by").notNull(),
  createdByKind: text("created_by_kind", { enum: ["user", "service_account"] }).notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  usedAt: instant("used_at"),
  removedAt: instant("removed_at"),
  keyId: text("key_id"),
});
