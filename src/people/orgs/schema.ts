/** Organizations (docs/rules/organizations.md#organizations). */
import { sql } from "drizzle-orm";
import { boolean, doublePrecision, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";

export const organizations = pgTable("organizations", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  name: text("name").notNull(),
  isPersonal: boolean("is_personal").notNull().default(false),
  loginHandle: text("login_handle"),
  ownerUserId: text("owner_user_id"),
  /** The person it counts for; null for a personal one and for what an operator made. */
  createdBy: text("created_by"),
  maxUsers: integer("max_users").notNull().default(1),
  runsPerHourLimit: integer("runs_per_hour_limit").notNull(),
  defaultRunnerGroupId: uuid("default_runner_group_id"),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});

/** An organization's run budget, and since when it is empty. A trigger makes the row; only dispatch writes it. */
export const dispatchOrgs = pgTable("dispatch_orgs", {
  orgId: uuid("org_id").primaryKey(),
  tokens: doublePrecision("tokens"),
  refilledAt: instant("refilled_at"),
  throttledUntil: instant("throttled_until"),
});

export type OrgRow = typeof organizations.$inferSelect;

/** Which organization a bootstrap of this name made. */
export const bootstrappedOrganizations = pgTable("bootstrapped_organizations", {
  orgId: uuid("org_id").primaryKey(),
  name: text("name").notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});
