/**
 * Stacks (docs/rules/stacks.md#the-id-is-a-name-the-key-is-the-stack). `stack_key` is the incarnation that everything
 * else refers to; `slug` is what people see as the id.
 */
import { sql } from "drizzle-orm";
import { bigint, boolean, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";
import type { Hooks } from "../runs/protocol.ts";

export const TOOLS = ["terraform", "tofu"] as const;
export const PR_PLAN_MODES = ["manual", "auto"] as const;
export const AUTO_APPROVE_MODES = ["manual", "auto", "non_destructive"] as const;
/** Where the state is kept: here when the configuration names no backend, here whatever it says, or never here. */
export const STATE_MODES = ["auto", "hosted", "own"] as const;
export type StateMode = (typeof STATE_MODES)[number];

/**
 * What a pull request must have before it is planned by itself, and before it is promoted
 * (docs/rules/pull-requests.md#conditions).
 */
export const PR_CONDITIONS = ["approved", "mergeable", "checks_passed"] as const;
export type PrCondition = (typeof PR_CONDITIONS)[number];
export type PrRequirements = { plan?: PrCondition[]; promote?: PrCondition[] };

export const stacks = pgTable("stacks", {
  stackKey: uuid("stack_key").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  slug: text("slug").notNull(),
  name: text("name").notNull(),
  repositoryUrl: text("repository_url").notNull(),
  /** Of the address, written with it: what a delivery's repository is matched with. */
  repositoryKey: text("repository_key").notNull().default(""),
  branch: text("branch").notNull(),
  workingDirectory: text("working_directory").notNull().default("."),
  tool: text("tool", { enum: TOOLS }).notNull().default("terraform"),
  toolVersion: text("tool_version"),
  labels: jsonb("labels").$type<Record<string, string>>().notNull().default({}),
  authzGroups: text("authz_groups").array().notNull().default([]),
  prPlanMode: text("pr_plan_mode", { enum: PR_PLAN_MODES }).notNull().default("manual"),
  autoApproveMode: text("auto_approve_mode", { enum: AUTO_APPROVE_MODES }).notNull().default("manual"),
  stateMode: text("state_mode", { enum: STATE_MODES }).notNull().default("auto"),
  deployOnPush: boolean("deploy_on_push").notNull().default(true),
  forkPreviews: boolean("fork_previews").notNull().default(false),
  /** Labels of runner groups, without the prefix that they have among the stack's labels. */
  previewRunnerLabels: jsonb("preview_runner_labels").$type<Record<string, string>>(),
  forkRunnerLabels: jsonb("fork_runner_labels").$type<Record<string, string>>(),
  /** Commands that its runs carry out around plan and apply. */
  hooks: jsonb("hooks").$type<Hooks>().notNull().default({}),
  prRequirements: jsonb("pr_requirements").$type<PrRequirements>().notNull().default({}),
  queuedTimeoutMs: bigint("queued_timeout_ms", { mode: "number" }),
  confirmationTimeoutMs: bigint("confirmation_timeout_ms", { mode: "number" }),
  supersedeAgeMs: bigint("supersede_age_ms", { mode: "number" }),
  maxRunDurationMs: bigint("max_run_duration_ms", { mode: "number" }),
  lastComparedCommit: text("last_compared_commit"),
  heldAt: instant("held_at"),
  heldBy: text("held_by"),
  holdReason: text("hold_reason"),
  latestDeploymentId: uuid("latest_deployment_id"),
  latestDeploymentStatus: text("latest_deployment_status"),
  latestDeploymentMode: text("latest_deployment_mode"),
  latestDeploymentCommitSha: text("latest_deployment_commit_sha"),
  latestDeploymentCreatedAt: instant("latest_deployment_created_at"),
  latestDeploymentCompletedAt: instant("latest_deployment_completed_at"),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  updatedAt: instant("updated_at").notNull().default(sql`svc_now()`),
  /** When it is to end, destroyed and deleted; null: it stays. */
  expiresAt: instant("expires_at"),
  deletedAt: instant("deleted_at"),
});

export type StackRow = typeof stacks.$inferSelect;
export type StackInsert = typeof stacks.$inferInsert;
