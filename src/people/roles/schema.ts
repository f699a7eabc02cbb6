/** Roles, their permissions and who holds them. `resource_pattern` is LIKE text, read back as a glob. */
import { sql } from "drizzle-orm";
import { boolean, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";

export const roles = pgTable("roles", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id"),
  name: text("name").notNull(),
  isSystem: boolean("is_system").notNull().default(false),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});

export const rolePermissions = pgTable("role_permissions", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  roleId: uuid("role_id").notNull(),
  resourceType: text("resource_type").notNull(),
  action: text("action").notNull(),
  resourcePattern: text("resource_pattern"),
  authzGroup: text("authz_group"),
});

export const roleAssignments = pgTable("role_assignments", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  roleId: uuid("role_id").notNull(),
  userId: text("user_id"),
  serviceAccountId: uuid("service_account_id"),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});
