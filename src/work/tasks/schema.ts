/**
 * Background work on what an organization or a stack has: one row for each kind and subject
 * (docs/rules/workflows.md#background-tasks).
 */
import { sql } from "drizzle-orm";
import { bigint, integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";
import type { TaskKind } from "./taskKind.ts";

export const orgTasks = pgTable("org_tasks", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  kind: text("kind").$type<TaskKind>().notNull(),
  /** Null: about the whole organization. */
  stackKey: uuid("stack_key"),
  subjectKey: uuid("subject_key").notNull().generatedAlwaysAs(sql`coalesce(stack_key, org_id)`),
  status: text("status", { enum: ["pending", "done"] })
    .notNull()
    .default("pending"),
  requested: bigint("requested", { mode: "number" }).notNull().default(1),
  answering: bigint("answering", { mode: "number" }),
  cursor: jsonb("cursor"),
  cursorVersion: integer("cursor_version").notNull().default(0),
  claimSeq: bigint("claim_seq", { mode: "number" }).notNull().default(0),
  claimedUntil: instant("claimed_until"),
  attempts: integer("attempts").notNull().default(0),
  lastError: text("last_error"),
  dueAt: instant("due_at").notNull().default(sql`svc_now()`),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  completedAt: instant("completed_at"),
});
