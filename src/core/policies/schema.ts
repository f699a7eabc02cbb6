/** Policies of an organization, their versions, exemptions from them, and what they said of plans. */
import { sql } from "drizzle-orm";
import { customType, integer, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";
import { ACTOR_KINDS } from "../../work/domainEvent.ts";
import type { PolicyResult } from "./result.ts";
import type { Rules } from "./rules.ts";

/** Whether what it says is only written down, shown to people, or has to be met. */
export const ENFORCEMENTS = ["shadow", "advisory", "mandatory"] as const;
export type Enforcement = (typeof ENFORCEMENTS)[number];

/** Deployments whose plan waits before it is applied. */
export const POLICY_MODES = ["plan", "destroy", "refresh"] as const;
export type PolicyMode = (typeof POLICY_MODES)[number];

export const POLICY_KINDS = ["rules", "rego", "bundle"] as const;
export type PolicyKind = (typeof POLICY_KINDS)[number];

export const OUTCOMES = ["passed", "warned", "denied"] as const;
export type Outcome = (typeof OUTCOMES)[number];

const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });

export const policies = pgTable("policies", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  name: text("name").notNull(),
  description: text("description").notNull().default(""),
  enforcement: text("enforcement", { enum: ENFORCEMENTS }).notNull(),
  selector: jsonb("selector").$type<Record<string, string>>().notNull().default({}),
  modes: text("modes", { enum: POLICY_MODES }).array().notNull(),
  version: integer("version"),
  lastVersion: integer("last_version").notNull().default(0),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  updatedAt: instant("updated_at").notNull().default(sql`svc_now()`),
});

export const policyVersions = pgTable(
  "policy_versions",
  {
    policyId: uuid("policy_id").notNull(),
    version: integer("version").notNull(),
    kind: text("kind", { enum: POLICY_KINDS }).notNull(),
    digest: text("digest").notNull(),
    rules: jsonb("rules").$type<Rules>(),
    source: text("source"),
    wasm: bytes("wasm"),
    entrypoint: text("entrypoint"),
    createdBy: text("created_by").notNull(),
    createdByKind: text("created_by_kind", { enum: ACTOR_KINDS }).notNull(),
    createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  },
  (table) => [primaryKey({ columns: [table.policyId, table.version] })],
);

export const policyExemptions = pgTable("policy_exemptions", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  policyId: uuid("policy_id").notNull(),
  stackKey: uuid("stack_key").notNull(),
  reason: text("reason").notNull(),
  endsAt: instant("ends_at").notNull(),
  createdBy: text("created_by").notNull(),
  createdByKind: text("created_by_kind", { enum: ACTOR_KINDS }).notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});

export const policyEvaluations = pgTable("policy_evaluations", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  deploymentId: uuid("deployment_id").notNull(),
  planRunId: uuid("plan_run_id").notNull(),
  status: text("status", { enum: ["pending", "done", "void"] })
    .notNull()
    .default("pending"),
  outcome: text("outcome", { enum: OUTCOMES }),
  results: jsonb("results").$type<PolicyResult[]>().notNull().default([]),
  requestedBy: text("requested_by"),
  requestedByKind: text("requested_by_kind", { enum: ACTOR_KINDS }),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  completedAt: instant("completed_at"),
  overriddenBy: text("overridden_by"),
  overriddenByKind: text("overridden_by_kind", { enum: ACTOR_KINDS }),
  overriddenAt: instant("overridden_at"),
  overrideReason: text("override_reason"),
});
