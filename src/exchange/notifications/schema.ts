/** Notification integrations and their deliveries, in flight or dead. */
import { sql } from "drizzle-orm";
import { boolean, integer, jsonb, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { bytea, instant } from "../../platform/db/columns.ts";
import type { NotifiedEvent } from "../../work/eventNames.ts";
import type { FindingsReport } from "./findings.ts";
import type { MailServer } from "./mail/mailAuth.ts";

/** Those that are posted to an address. */
export const POSTED_TYPES = ["webhook", "chat", "slack", "teams"] as const;
export const PROVIDER_TYPES = [...POSTED_TYPES, "email"] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];

/** What is no secret: of e-mail, whom it goes to. */
export type ProviderConfig = { recipients?: string[] };

/** What people may see of where and how an integration sends. */
export type NotificationAuthSummary = {
  has_secret: boolean;
  header_count: number;
  /** Of e-mail only; null: the installation's server. */
  smtp?: Omit<MailServer, "password"> | null;
};

export const notificationIntegrations = pgTable("notification_integrations", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  name: text("name").notNull(),
  providerType: text("provider_type", { enum: PROVIDER_TYPES }).notNull(),
  enabled: boolean("enabled").notNull().default(true),
  events: text("events").array().$type<NotifiedEvent[]>().notNull(),
  changesOnly: boolean("changes_only").notNull().default(false),
  stackLabelSelector: jsonb("stack_label_selector").$type<Record<string, string>>().notNull().default(sql`'{}'`),
  providerConfig: jsonb("provider_config").$type<ProviderConfig>().notNull().default(sql`'{}'`),
  authConfig: bytea("auth_config").notNull(),
  authConfigSummary: jsonb("auth_config_summary").$type<NotificationAuthSummary>().notNull().default(sql`'{}'`),
  reportedFindings: jsonb("reported_findings").$type<FindingsReport>(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  updatedAt: instant("updated_at").notNull().default(sql`svc_now()`),
});
export type NotificationIntegrationRow = typeof notificationIntegrations.$inferSelect;

export const DELIVERY_STATUSES = ["pending", "dead"] as const;

export const notificationDeliveries = pgTable("notification_deliveries", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  integrationId: uuid("integration_id").notNull(),
  domainEventId: uuid("domain_event_id").notNull(),
  eventType: text("event_type").$type<NotifiedEvent>().notNull(),
  stackKey: uuid("stack_key"),
  deploymentId: uuid("deployment_id"),
  body: text("body").notNull(),
  recipients: text("recipients").array(),
  status: text("status", { enum: DELIVERY_STATUSES }).notNull().default("pending"),
  attempts: integer("attempts").notNull().default(0),
  lastStatus: integer("last_status"),
  lastError: text("last_error"),
  dueAt: instant("due_at").notNull().default(sql`svc_now()`),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  deadAt: instant("dead_at"),
});
