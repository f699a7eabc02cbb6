/** Runs, their liveness, artifacts and logs. */
import { sql } from "drizzle-orm";
import { bigint, boolean, integer, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { bytea, instant } from "../../platform/db/columns.ts";
import { RUN_STATUSES } from "./lifecycle.ts";
import { ARTIFACT_KINDS, type DriftReport, type PlanSummary, RUN_KINDS } from "./protocol.ts";

export const runs = pgTable("runs", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  deploymentId: uuid("deployment_id").notNull(),
  kind: text("kind", { enum: RUN_KINDS }).notNull(),
  status: text("status", { enum: RUN_STATUSES }).notNull(),
  selectorId: uuid("selector_id").notNull(),
  /** Only a runner that puts a wall around it may have it. */
  needsWall: boolean("needs_wall").notNull().default(false),
  /** Claimed after everything else, and only within what its group gives to checks. */
  background: boolean("background").notNull().default(false),
  /** What a check for drift found. */
  drift: jsonb("drift").$type<DriftReport>(),
  stateLocked: boolean("state_locked").notNull(),
  planRunId: uuid("plan_run_id"),
  targets: text("targets").array().notNull().default([]),
  excludes: text("excludes").array().notNull().default([]),
  replaces: text("replaces").array().notNull().default([]),
  prioritizedAt: instant("prioritized_at"),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  firstPendingAt: instant("first_pending_at"),
  claimSeq: integer("claim_seq").notNull().default(0),
  assignmentAttempts: integer("assignment_attempts").notNull().default(0),
  /** Why the last accept could not be answered, for whoever asks why no runner has it. */
  acceptProblem: text("accept_problem"),
  assignedRunnerId: uuid("assigned_runner_id"),
  assignedGroupId: uuid("assigned_group_id"),
  assignedAt: instant("assigned_at"),
  assignedExpiresAt: instant("assigned_expires_at"),
  startedAt: instant("started_at"),
  cancelRequestedAt: instant("cancel_requested_at"),
  completedAt: instant("completed_at"),
  exitCode: integer("exit_code"),
  error: text("error"),
  planSummary: jsonb("plan_summary").$type<PlanSummary>(),
  planSha256: text("plan_sha256"),
  treeSha256: text("tree_sha256"),
  doneSha256: text("done_sha256"),
  traceparent: text("traceparent"),
  leaseWokenAt: instant("lease_woken_at"),
  /** SHA-256 of the token by which its engine opens the stack's state. */
  stateTokenHash: bytea("state_token_hash"),
});

export const runLiveness = pgTable("run_liveness", {
  runId: uuid("run_id").primaryKey(),
  lastSeenAt: instant("last_seen_at").notNull(),
});

export const followedLogs = pgTable("followed_logs", {
  deploymentId: uuid("deployment_id").primaryKey(),
  until: instant("until").notNull(),
});

export const artifacts = pgTable(
  "artifacts",
  {
    runId: uuid("run_id").notNull(),
    kind: text("kind", { enum: ARTIFACT_KINDS }).notNull(),
    objectKey: text("object_key").notNull(),
    size: bigint("size", { mode: "number" }).notNull(),
    sha256: text("sha256").notNull(),
    createdAt: instant("created_at").notNull().default(sql`svc_now()`),
    keyId: text("key_id"),
  },
  (t) => [primaryKey({ columns: [t.runId, t.kind] })],
);

export const logChunks = pgTable(
  "log_chunks",
  {
    runId: uuid("run_id").notNull(),
    chunkIndex: integer("chunk_index").notNull(),
    sealed: boolean("sealed").notNull().default(false),
    size: integer("size").notNull(),
    liveBytes: bytea("live_bytes"),
    objectKey: text("object_key"),
    sha256: text("sha256"),
    createdAt: instant("created_at").notNull().default(sql`svc_now()`),
    keyId: text("key_id"),
  },
  (t) => [primaryKey({ columns: [t.runId, t.chunkIndex] })],
);
