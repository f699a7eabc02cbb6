/** Schedules of deployments and commands, and what each occurrence has come to. */
import { sql } from "drizzle-orm";
import { boolean, integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { bytea, instant } from "../../platform/db/columns.ts";
import { ACTOR_KINDS } from "../../work/domainEvent.ts";

export const SCHEDULED_MODES = ["plan", "refresh", "destroy", "raw"] as const;
export type ScheduledMode = (typeof SCHEDULED_MODES)[number];

export const schedules = pgTable("schedules", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  /** Null: it is of all stacks that the selector fits. */
  stackKey: uuid("stack_key"),
  selector: jsonb("selector").$type<Record<string, string>>(),
  name: text("name").notNull(),
  mode: text("mode", { enum: SCHEDULED_MODES }).notNull(),
  script: bytea("script"),
  commandBytes: integer("command_bytes"),
  onceAt: instant("once_at"),
  cron: text("cron"),
  timeZone: text("time_zone").notNull().default("UTC"),
  paused: boolean("paused").notNull().default(false),
  /** Null while paused, and when no occurrence is left. */
  nextAt: instant("next_at"),
  createdBy: text("created_by"),
  createdByKind: text("created_by_kind", { enum: ACTOR_KINDS }),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  updatedAt: instant("updated_at").notNull().default(sql`svc_now()`),
});

/** What an occurrence has come to on one stack; `due` until it is settled. */
export const OCCURRENCE_STATUSES = ["due", "created", "skipped", "failed"] as const;
export type OccurrenceStatus = (typeof OCCURRENCE_STATUSES)[number];

/** Why an occurrence made no deployment. */
export const SKIP_REASONS = ["held", "deleted", "paused", "earlier_open", "overtaken"] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export const scheduleOccurrences = pgTable("schedule_occurrences", {
  scheduleId: uuid("schedule_id").notNull(),
  occursAt: instant("occurs_at").notNull(),
  stackKey: uuid("stack_key").notNull(),
  orgId: uuid("org_id").notNull(),
  status: text("status", { enum: OCCURRENCE_STATUSES }).notNull().default("due"),
  reason: text("reason", { enum: SKIP_REASONS }),
  error: text("error"),
  deploymentId: uuid("deployment_id"),
  tries: integer("tries").notNull().default(0),
  /** When it is tried, or tried again. */
  dueAt: instant("due_at"),
});

export type ScheduleRow = typeof schedules.$inferSelect;
