/**
 * The dependency graph: edges, the identities that edges are inferred from, and how far each stack is
 * (docs/rules/graph.md#edges).
 */
import { sql } from "drizzle-orm";
import { bigint, boolean, integer, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { bytea, instant } from "../../platform/db/columns.ts";
import { TRIGGERS } from "../analysis/trigger.ts";

export const PROVENANCES = ["declared", "inferred"] as const;

export const dependencyEdges = pgTable("dependency_edges", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  dependentStackKey: uuid("dependent_stack_key").notNull(),
  /** Null: the whole stack. */
  dependentAddress: text("dependent_address"),
  provenance: text("provenance", { enum: PROVENANCES }).notNull(),
  /** What a declaration names; looked up among live stacks at each read. */
  dependencyStackSlug: text("dependency_stack_slug"),
  /** The incarnation an inference found. */
  dependencyStackKey: uuid("dependency_stack_key"),
  /** Null: the whole stack. */
  dependencyAddress: text("dependency_address"),
  trigger: text("trigger", { enum: TRIGGERS }).notNull().default("manual"),
  file: text("file"),
  line: integer("line"),
  edgeHash: bytea("edge_hash").notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});

export const stackResourceIdentities = pgTable(
  "stack_resource_identities",
  {
    stackKey: uuid("stack_key").notNull(),
    address: text("address").notNull(),
    orgId: uuid("org_id").notNull(),
    mode: text("mode", { enum: ["managed", "data"] }).notNull(),
    identityHash: bytea("identity_hash").notNull(),
  },
  (t) => [primaryKey({ columns: [t.stackKey, t.address] })],
);

export const dependencyState = pgTable("dependency_state", {
  stackKey: uuid("stack_key").primaryKey(),
  orgId: uuid("org_id").notNull(),
  runId: uuid("run_id"),
  runCompletedAt: instant("run_completed_at"),
  declared: text("declared", { enum: ["never", "known", "unknown"] })
    .notNull()
    .default("never"),
  resources: text("resources", { enum: ["never", "known", "unknown"] })
    .notNull()
    .default("never"),
  problem: text("problem"),
  /** At most 50. */
  commentErrors: jsonb("comment_errors").$type<string[]>().notNull().default([]),
  commentErrorsCount: integer("comment_errors_count").notNull().default(0),
  inferredTruncated: boolean("inferred_truncated").notNull().default(false),
  inferredStale: boolean("inferred_stale").notNull().default(false),
  reconciledAt: instant("reconciled_at"),
});

/** Raised by triggers with every change that can alter the graph. */
export const dependencyOrgs = pgTable("dependency_orgs", {
  orgId: uuid("org_id").primaryKey(),
  version: bigint("version", { mode: "number" }).notNull().default(0),
});
