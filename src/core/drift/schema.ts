/** Schedules of checks for drift, and what is known of each stack that is checked. */
import { sql } from "drizzle-orm";
import { boolean, doublePrecision, integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";
import type { DriftPolicy } from "./policy.ts";

export const driftSchedules = pgTable("drift_schedules", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  name: text("name").notNull(),
  selector: jsonb("selector").$type<Record<string, string>>().notNull(),
  policy: jsonb("policy").$type<DriftPolicy>().notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  updatedAt: instant("updated_at").notNull().default(sql`svc_now()`),
});

export const driftBudgets = pgTable("drift_budgets", {
  orgId: uuid("org_id").primaryKey(),
  tokens: doublePrecision("tokens").notNull(),
  refilledAt: instant("refilled_at").notNull(),
});

export const DRIFT_STATUSES = ["none", "drifted", "unknown", "failed"] as const;
export type DriftStatus = (typeof DRIFT_STATUSES)[number];

/** Why a check that was due has not begun, or was given up. */
export const PUT_OFF = [
  "lane_busy",
  "held",
  "never_applied",
  "group_full",
  "no_runner_group",
  "no_runner",
  "budget",
  "gave_way",
  "cancelled",
  "applied_meanwhile",
] as const;
export type PutOff = (typeof PUT_OFF)[number];

export type DriftedResource = { address: string; action: string };

export const stackDrift = pgTable("stack_drift", {
  stackKey: uuid("stack_key").primaryKey(),
  orgId: uuid("org_id").notNull(),
  policy: jsonb("policy").$type<DriftPolicy>(),
  effective: jsonb("effective").$type<DriftPolicy>(),
  scheduleId: uuid("schedule_id"),
  /** `effective` and the next check are to be worked out anew. */
  stale: boolean("stale").notNull().default(false),
  status: text("status", { enum: DRIFT_STATUSES }).notNull().default("unknown"),
  since: instant("since").notNull().default(sql`svc_now()`),
  checkedAt: instant("checked_at"),
  checkedId: uuid("checked_id"),
  error: text("error"),
  resources: jsonb("resources").$type<DriftedResource[]>().notNull().default([]),
  total: integer("total").notNull().default(0),
  ignored: integer("ignored").notNull().default(0),
  told: text("told"),
  checkId: uuid("check_id"),
  checkPhase: text("check_phase", { enum: ["running", "ended"] }),
  dueAt: instant("due_at"),
  /** Somebody asked for the check that is due. */
  asked: boolean("asked").notNull().default(false),
  spreadMs: doublePrecision("spread_ms"),
  durationMs: doublePrecision("duration_ms"),
  putOff: text("put_off", { enum: PUT_OFF }),
  putOffTimes: integer("put_off_times").notNull().default(0),
  reconciled: text("reconciled"),
  reconcileId: uuid("reconcile_id"),
  reconcileDue: boolean("reconcile_due").notNull().default(false),
});

export type StackDriftRow = typeof stackDrift.$inferSelect;
export type DriftScheduleRow = typeof driftSchedules.$inferSelect;
