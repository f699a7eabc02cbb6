/** Deployments, their stages and activity log, and the decisions people take about them. */
import { sql } from "drizzle-orm";
import { boolean, integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import type { DecisionKind } from "../../../workflows/contract.ts";
import { instant } from "../../platform/db/columns.ts";
import { ACTOR_KINDS } from "../../work/domainEvent.ts";
import type { Hooks } from "../runs/protocol.ts";
import { TOOLS } from "../stacks/schema.ts";
import { DEPLOYMENT_MODES, DEPLOYMENT_STATUSES, STAGE_KINDS, STAGE_PHASES } from "./lifecycle.ts";
import { PROVENANCES } from "./provenance.ts";

/** What made a deployment. */
export const ORIGIN_TYPES = [
  "manual",
  "push",
  "dependency",
  "pull_request",
  "promoted_pull_request",
  "local",
  "drift",
  "schedule",
  "lifetime",
] as const;
export type OriginType = (typeof ORIGIN_TYPES)[number];

const DECISION_KINDS = [
  "confirm",
  "skip",
  "cancel",
  "prioritize",
  "deprioritize",
  "confirmPreview",
  "review",
] as const satisfies readonly DecisionKind[];

export const deployments = pgTable("deployments", {
  wokenAt: instant("woken_at"),
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  stackKey: uuid("stack_key").notNull(),
  mode: text("mode", { enum: DEPLOYMENT_MODES }).notNull(),
  status: text("status", { enum: DEPLOYMENT_STATUSES }).notNull(),
  repositoryUrl: text("repository_url").notNull(),
  branch: text("branch").notNull(),
  workingDirectory: text("working_directory").notNull(),
  tool: text("tool", { enum: TOOLS }).notNull(),
  toolVersion: text("tool_version"),
  hooks: jsonb("hooks").$type<Hooks>().notNull().default({}),
  commitSha: text("commit_sha").notNull(),
  commitMessage: text("commit_message"),
  commitAuthor: text("commit_author"),
  originType: text("origin_type", { enum: ORIGIN_TYPES }).notNull().default("manual"),
  provenance: text("provenance", { enum: PROVENANCES }).notNull().default("unknown"),
  /** Its plan is confirmed by a person, whatever the stack says. */
  needsPerson: boolean("needs_person").notNull().default(false),
  createdBy: text("created_by"),
  createdByKind: text("created_by_kind", { enum: ["user", "service_account"] }),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  prioritizedAt: instant("prioritized_at"),
  prioritizedBy: text("prioritized_by"),
  waitingSince: instant("waiting_since"),
  /** When whoever could approve its plan was reminded last. */
  remindedAt: instant("reminded_at"),
  cancelRequestedAt: instant("cancel_requested_at"),
  completedAt: instant("completed_at"),
  skippedReason: text("skipped_reason"),
  error: text("error"),
  dependentsSnapshotAt: instant("dependents_snapshot_at"),
  dependentsResolvedAt: instant("dependents_resolved_at"),
  originDependencyDeploymentId: uuid("origin_dependency_deployment_id"),
  /** Stack keys, the parent's last. */
  cascadeStackPath: uuid("cascade_stack_path").array().notNull().default([]),
  commandBytes: integer("command_bytes"),
  localSourceKey: uuid("local_source_key"),
  localSourceSha256: text("local_source_sha256"),
  pullRequestId: uuid("pull_request_id"),
  /** Of the pull request it comes from; the number stays when the request is closed. */
  originPrNumber: integer("origin_pr_number"),
  originPrGeneration: integer("origin_pr_generation"),
  originHeadSha: text("origin_head_sha"),
  originScmEventId: uuid("origin_scm_event_id"),
  originPrTitle: text("origin_pr_title"),
  originPrUrl: text("origin_pr_url"),
  originPrBody: text("origin_pr_body"),
  /** Who opened it, as the host calls them. */
  originPrAuthor: text("origin_pr_author"),
});

export const stages = pgTable("stages", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  deploymentId: uuid("deployment_id").notNull(),
  position: integer("position").notNull(),
  kind: text("kind", { enum: STAGE_KINDS }).notNull(),
  phase: text("phase", { enum: STAGE_PHASES }).notNull(),
  runId: uuid("run_id"),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  completedAt: instant("completed_at"),
});

export const deploymentEvents = pgTable("deployment_events", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  deploymentId: uuid("deployment_id").notNull(),
  kind: text("kind").notNull(),
  actorId: text("actor_id"),
  actorKind: text("actor_kind", { enum: ACTOR_KINDS }),
  stageId: uuid("stage_id"),
  details: jsonb("details").$type<Record<string, unknown>>().notNull().default({}),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});

export const decisions = pgTable("decisions", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  deploymentId: uuid("deployment_id").notNull(),
  kind: text("kind", { enum: DECISION_KINDS }).notNull(),
  principalId: text("principal_id").notNull(),
  principalKind: text("principal_kind", { enum: ACTOR_KINDS }).notNull(),
  arguments: jsonb("arguments").notNull().default({}),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  expiresAt: instant("expires_at").notNull(),
  answer: jsonb("answer"),
  answeredAt: instant("answered_at"),
  batch: uuid("batch"),
});
