/** Hosted states: their versions, and of each stack the newest one and the lock. */
import { sql } from "drizzle-orm";
import { bigint, boolean, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";
import type { LockDocument } from "./lockDocument.ts";

export const STATE_ORIGINS = ["run", "push", "rollback"] as const;

export const stateVersions = pgTable("state_versions", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  stackKey: uuid("stack_key").notNull(),
  objectKey: text("object_key").notNull(),
  keyId: text("key_id"),
  origin: text("origin", { enum: STATE_ORIGINS }).notNull(),
  runId: uuid("run_id"),
  createdBy: text("created_by"),
  createdByKind: text("created_by_kind", { enum: ["user", "service_account"] }),
  restores: bigint("restores", { mode: "number" }),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  number: bigint("number", { mode: "number" }),
  serial: bigint("serial", { mode: "number" }),
  lineage: text("lineage"),
  engineVersion: text("engine_version"),
  resources: bigint("resources", { mode: "number" }),
  size: bigint("size", { mode: "number" }),
  sha256: text("sha256"),
  beyondLast: boolean("beyond_last").notNull().default(false),
  removedAt: instant("removed_at"),
});

export const stackStates = pgTable("stack_states", {
  stackKey: uuid("stack_key").primaryKey(),
  orgId: uuid("org_id").notNull(),
  versionId: uuid("version_id"),
  lastNumber: bigint("last_number", { mode: "number" }).notNull().default(0),
  lockId: text("lock_id"),
  lockInfo: jsonb("lock_info").$type<LockDocument>(),
  lockedAt: instant("locked_at"),
  lockRunId: uuid("lock_run_id"),
  lockedBy: text("locked_by"),
  lockedByKind: text("locked_by_kind", { enum: ["user", "service_account"] }),
});
