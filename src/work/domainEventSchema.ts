/** One row per transition: ids and enums only (docs/rules/transitions.md#domain-events). */
import { sql } from "drizzle-orm";
import { jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../platform/db/columns.ts";

export const domainEvents = pgTable("domain_events", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  name: text("name").notNull(),
  stackKey: uuid("stack_key"),
  deploymentId: uuid("deployment_id"),
  runId: uuid("run_id"),
  actorId: text("actor_id"),
  actorKind: text("actor_kind"),
  data: jsonb("data").notNull().default({}),
  fannedOutAt: instant("fanned_out_at"),
  occurredAt: instant("occurred_at").notNull().default(sql`svc_now()`),
});
