/** Who changed what; never a secret, never a script. */
import { sql } from "drizzle-orm";
import { jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";
import { ACTOR_KINDS } from "../../work/domainEvent.ts";
import type { AuditAction } from "./actions.ts";

export const auditLog = pgTable("audit_log", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id"),
  actorId: text("actor_id"),
  actorKind: text("actor_kind", { enum: ACTOR_KINDS }),
  action: text("action").$type<AuditAction>().notNull(),
  resourceType: text("resource_type").notNull(),
  resourceId: text("resource_id"),
  details: jsonb("details").$type<Record<string, unknown>>().notNull().default({}),
  occurredAt: instant("occurred_at").notNull().default(sql`svc_now()`),
});
