/** Runner groups, runners, and the tables that say which group serves which run (docs/rules/dispatch.md#selectors). */
import { sql } from "drizzle-orm";
import { integer, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";
import { RUNNER_STATUSES } from "../runs/runnerLifecycle.ts";

export const runnerGroups = pgTable("runner_groups", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  name: text("name").notNull(),
  labels: jsonb("labels").$type<Record<string, string>>().notNull().default({}),
  maxConcurrentRuns: integer("max_concurrent_runs").notNull().default(10),
  /** How many checks for drift it may have at once. */
  maxDriftRuns: integer("max_drift_runs").notNull().default(2),
  publicKeyPem: text("public_key_pem").notNull(),
  publicKeyFingerprint: text("public_key_fingerprint").notNull(),
  lastContactAt: instant("last_contact_at"),
  /** The same of a coordinator that has a wall around its runs. */
  walledContactAt: instant("walled_contact_at"),
  runnerVersion: text("runner_version"),
  lastDispatchError: text("last_dispatch_error"),
  lastDispatchErrorAt: instant("last_dispatch_error_at"),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  updatedAt: instant("updated_at").notNull().default(sql`svc_now()`),
});

/** From where a group's token was used. */
export const runnerGroupAddresses = pgTable(
  "runner_group_addresses",
  {
    groupId: uuid("group_id").notNull(),
    address: text("address").notNull(),
    firstSeenAt: instant("first_seen_at").notNull().default(sql`svc_now()`),
    lastSeenAt: instant("last_seen_at").notNull().default(sql`svc_now()`),
  },
  (t) => [primaryKey({ columns: [t.groupId, t.address] })],
);

export const runnerSelectors = pgTable("runner_selectors", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  labels: jsonb("labels").$type<Record<string, string>>().notNull(),
});

export const groupSelectors = pgTable(
  "group_selectors",
  {
    groupId: uuid("group_id").notNull(),
    selectorId: uuid("selector_id").notNull(),
  },
  (t) => [primaryKey({ columns: [t.groupId, t.selectorId] })],
);

export const dispatchGroups = pgTable("dispatch_groups", {
  groupId: uuid("group_id").primaryKey(),
});

export const runners = pgTable("runners", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  groupId: uuid("group_id").notNull(),
  runId: uuid("run_id").notNull(),
  claimSeq: integer("claim_seq").notNull(),
  status: text("status", { enum: RUNNER_STATUSES }).notNull().default("not-ready"),
  lastSeenAt: instant("last_seen_at").notNull().default(sql`svc_now()`),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});

export type RunnerGroupRow = typeof runnerGroups.$inferSelect;
