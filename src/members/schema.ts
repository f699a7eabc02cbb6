/** People and their memberships (spec 2.2). `users.id` holds e-mail addresses: it never reaches Temporal or a log. */
import { sql } from "drizzle-orm";
import { boolean, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../db/columns.ts";

export const users = pgTable("users", {
  id: text("id").primaryKey(),
  providerKey: text("provider_key").notNull(),
  issuer: text("issuer").notNull(),
  subject: text("subject").notNull(),
  login: text("login").notNull(),
  displayName: text("display_name"),
  isSuperAdmin: boolean("is_super_admin").notNull().default(false),
  disabledAt: instant("disabled_at"),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});

export const memberships = pgTable("memberships", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  userId: text("user_id").notNull(),
  source: text("source").notNull().default("manual"),
  expiresAt: instant("expires_at"),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});
