/** Variables and secrets for the runs of the stacks that a selector matches. */
import { sql } from "drizzle-orm";
import { boolean, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { bytea, instant } from "../../platform/db/columns.ts";

export const contexts = pgTable("contexts", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  name: text("name").notNull(),
  selector: jsonb("selector").$type<Record<string, string>>().notNull().default({}),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  updatedAt: instant("updated_at").notNull().default(sql`svc_now()`),
});

export const contextVariables = pgTable(
  "context_variables",
  {
    contextId: uuid("context_id").notNull(),
    name: text("name").notNull(),
    secret: boolean("secret").notNull(),
    value: text("value"),
    sealed: bytea("sealed"),
  },
  (t) => [primaryKey({ columns: [t.contextId, t.name] })],
);
