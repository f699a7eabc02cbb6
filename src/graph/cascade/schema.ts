/** Dependents of an apply: one row per dependent stack, with the child it was given or why it was given none. */
import { sql } from "drizzle-orm";
import { integer, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";
import { TRIGGERS } from "../analysis/trigger.ts";

export const DEMOTION_REASONS = ["on_cycle", "cycle_unknown", "over_budget", "in_cascade", "parent_refreshed"] as const;
export const DEPENDENT_SKIPPED_REASONS = [
  "manual_trigger",
  "never_trigger",
  "not_affected",
  "parent_destroyed",
  "cascade_too_deep",
  "stack_deleted",
] as const;
export const EVIDENCE = ["declared", "inferred", "both"] as const;

/** Why a dependent was triggered: this of the parent changed, on which that of the dependent depends. */
export type TriggeringPair = { parent: string | null; dependent: string | null; provenance: (typeof EVIDENCE)[number] };

export const dependentTriggers = pgTable(
  "dependent_triggers",
  {
    parentDeploymentId: uuid("parent_deployment_id").notNull(),
    dependentStackKey: uuid("dependent_stack_key").notNull(),
    orgId: uuid("org_id").notNull(),
    dependentStackCreatedAt: instant("dependent_stack_created_at").notNull(),
    trigger: text("trigger", { enum: TRIGGERS }).notNull(),
    demotionReason: text("demotion_reason", { enum: DEMOTION_REASONS }),
    evidence: text("evidence", { enum: EVIDENCE }).notNull(),
    triggeringResources: jsonb("triggering_resources").$type<TriggeringPair[]>().notNull().default([]),
    triggeringRemainder: integer("triggering_remainder").notNull().default(0),
    triggeredDeploymentId: uuid("triggered_deployment_id"),
    skippedReason: text("skipped_reason", { enum: DEPENDENT_SKIPPED_REASONS }),
    error: text("error"),
    problem: text("problem"),
    lastFailure: text("last_failure"),
    attempts: integer("attempts").notNull().default(0),
    dueAt: instant("due_at").notNull(),
    updatedAt: instant("updated_at").notNull().default(sql`svc_now()`),
  },
  (t) => [primaryKey({ columns: [t.parentDeploymentId, t.dependentStackKey] })],
);
