/**
 * What the reconciler remembers of the Temporal cluster between its passes (docs/rules/workflows.md#the-reconciler).
 */
import { sql } from "drizzle-orm";
import { boolean, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";

const SIGHTINGS = ["overdue", "without_row"] as const;
export type Mark = (typeof SIGHTINGS)[number];

export const temporalIdentity = pgTable("temporal_identity", {
  singleton: boolean("singleton").primaryKey().default(true),
  clusterId: text("cluster_id").notNull(),
  namespaceId: text("namespace_id").notNull(),
  seenAt: instant("seen_at").notNull().default(sql`svc_now()`),
});

export const reconcilerSightings = pgTable(
  "reconciler_sightings",
  {
    workflowId: text("workflow_id").notNull(),
    kind: text("kind", { enum: SIGHTINGS }).notNull(),
    executionRunId: text("execution_run_id"),
    seenAt: instant("seen_at").notNull().default(sql`svc_now()`),
  },
  (t) => [primaryKey({ columns: [t.workflowId, t.kind] })],
);
