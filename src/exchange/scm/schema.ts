/** Integrations with code hosts and the inbox of their deliveries. */
import { sql } from "drizzle-orm";
import { integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { bytea, instant } from "../../platform/db/columns.ts";
import { HOST_KINDS } from "./hostKind.ts";

/** What people may see of an integration's credentials. */
export type AuthSummary = {
  kind: "app" | "token" | "none";
  app_id?: string;
  installation_id?: string;
  has_private_key: boolean;
  has_token: boolean;
  has_webhook_secret: boolean;
};

/** What a test call found of the host's webhook for one repository. */
export type WebhookCheck = {
  /** RFC 3339. */
  at: string;
  repository: string;
  /** `unknown`: the host does not show its webhooks to these credentials. */
  state: "complete" | "incomplete" | "absent" | "unknown";
  /** What has to be set, in the host's own words. */
  missing: string[];
  reason: string | null;
};

export const scmIntegrations = pgTable("scm_integrations", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  name: text("name").notNull(),
  urlPattern: text("url_pattern").notNull(),
  priority: integer("priority").notNull().default(100),
  apiBaseUrl: text("api_base_url"),
  /** Other names of the host, beside that of the API. */
  hostNames: text("host_names").array().notNull().default([]),
  authConfig: bytea("auth_config"),
  authConfigSummary: jsonb("auth_config_summary").$type<AuthSummary>().notNull().default(sql`'{}'`),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  updatedAt: instant("updated_at").notNull().default(sql`svc_now()`),
  lastSuccessAt: instant("last_success_at"),
  lastFailureAt: instant("last_failure_at"),
  lastFailure: text("last_failure"),
  hostKind: text("host_kind", { enum: HOST_KINDS }).notNull().default("github"),
  webhookCheck: jsonb("webhook_check").$type<WebhookCheck>(),
});
export type IntegrationRow = typeof scmIntegrations.$inferSelect;

export const EVENT_KINDS = ["push_branch_changed", "pr_changed", "pr_closed", "pr_refresh_requested"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];
export const EVENT_STATUSES = ["pending", "failed", "processed", "dead"] as const;

export const scmEvents = pgTable("scm_events", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  integrationId: uuid("integration_id").notNull(),
  externalEventId: text("external_event_id").notNull(),
  kind: text("kind", { enum: EVENT_KINDS }).notNull(),
  repositoryKey: text("repository_key").notNull(),
  branch: text("branch").notNull(),
  /** What the workflow of the branch is known by. */
  branchKey: text("branch_key").notNull().default(""),
  prNumber: integer("pr_number"),
  beforeSha: text("before_sha"),
  afterSha: text("after_sha"),
  /** Who has pushed, by the host's name of them. */
  sender: text("sender"),
  status: text("status", { enum: EVENT_STATUSES }).notNull().default("pending"),
  attempts: integer("attempts").notNull().default(0),
  lastError: text("last_error"),
  dueAt: instant("due_at").notNull().default(sql`svc_now()`),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  processedAt: instant("processed_at"),
});
export type ScmEventRow = typeof scmEvents.$inferSelect;
