/** Deployments, their stages and activity log, and the decisions people take about them. */
import { sql } from "drizzle-orm";
import { integer, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";

export const deployments = pgTable("deployments", {
  wokenAt: instant("woken_at"),
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  stackKey: uuid("stack_key").notNull(),
  mode: text("mode").notNull(),
  status: text("status").notNull(),
  repositoryUrl: text("repository_url").notNull(),
  branch: text("branch").notNull(),
  workingDirectory: text("working_directory").notNull(),
  tool: text("tool").notNull(),
  toolVersion: text("tool_version"),
  commitSha: text("commit_sha").notNull(),
  commitMessage: text("commit_message"),
  commitAuthor: text("commit_author"),
  originType: text("origin_type").notNull().default("manual"),
  createdBy: text("created_by"),
  createdByKind: text("created_by_kind"),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  prioritizedAt: instant("prioritized_at"),
  prioritizedBy: text("prioritized_by"),
  waitingSince: instant("waiting_since"),
  cancelRequestedAt: instant("cancel_requested_at"),
  completedAt: instant("completed_at"),
  skippedReason: text("skipped_reason"),
  error: text("error"),
  dependentsSnapshotAt: instant("dependents_snapshot_at"),
  dependentsResolvedAt: instant("dependents_resolved_at"),
  originDependencyDeploymentId: uuid("origin_dependency_deployment_id"),
  cascadeStackPath: uuid("cascade_stack_path").array().notNull().default([]),
  commandBytes: integer("command_bytes"),
  localSourceKey: uuid("local_source_key"),
  localSourceSha256: text("local_source_sha256"),
  pullRequestId: uuid("pull_request_id"),
  originPrNumber: integer("origin_pr_number"),
  originPrGeneration: integer("origin_pr_generation"),
  originHeadSha: text("origin_head_sha"),
  originScmEventId: uuid("origin_scm_event_id"),
  originPrTitle: text("origin_pr_title"),
  originPrUrl: text("origin_pr_url"),
  originPrBody: text("origin_pr_body"),
});

export const stages = pgTable("stages", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  deploymentId: uuid("deployment_id").notNull(),
  position: integer("position").notNull(),
  kind: text("kind").notNull(),
  phase: text("phase").notNull(),
  runId: uuid("run_id"),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  completedAt: instant("completed_at"),
});

export const deploymentEvents = pgTable("deployment_events", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  deploymentId: uuid("deployment_id").notNull(),
  kind: text("kind").notNull(),
  actorId: text("actor_id"),
  actorKind: text("actor_kind"),
  stageId: uuid("stage_id"),
  details: jsonb("details").notNull().default({}),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});

export const decisions = pgTable("decisions", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  deploymentId: uuid("deployment_id").notNull(),
  kind: text("kind").notNull(),
  principalId: text("principal_id").notNull(),
  principalKind: text("principal_kind").notNull(),
  arguments: jsonb("arguments").notNull().default({}),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  expiresAt: instant("expires_at").notNull(),
  answer: jsonb("answer"),
  answeredAt: instant("answered_at"),
});

export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    principalId: text("principal_id").notNull(),
    method: text("method").notNull(),
    path: text("path").notNull(),
    key: text("key").notNull(),
    bodySha256: text("body_sha256").notNull(),
    decisionId: uuid("decision_id"),
    answer: jsonb("answer"),
    createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  },
  (t) => [primaryKey({ columns: [t.principalId, t.method, t.path, t.key] })],
);
