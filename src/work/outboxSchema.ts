/** Messages to Temporal, written in the causing transaction (docs/rules/workflows.md#the-outbox). */
import { sql } from "drizzle-orm";
import { bigint, integer, jsonb, pgTable, smallint, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../platform/db/columns.ts";

export const outbox = pgTable("outbox", {
  id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
  message: jsonb("message").notNull(),
  attempts: integer("attempts").notNull().default(0),
  dueAt: instant("due_at").notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  traceparent: text("traceparent"),
  class: smallint("class").generatedAlwaysAs(sql`outbox_class(message)`),
  orgId: uuid("org_id").generatedAlwaysAs(
    sql`coalesce((message ->> 'orgId')::uuid, '00000000-0000-0000-0000-000000000000'::uuid)`,
  ),
});
