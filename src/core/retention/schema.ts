/** How far the removal of data past its retention has come. */
import { pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";

const RETIRED_KINDS = ["logs", "artifacts", "trees", "deployment_events"] as const;
export type RetiredKind = (typeof RETIRED_KINDS)[number];

export const retentionProgress = pgTable("retention_progress", {
  kind: text("kind", { enum: RETIRED_KINDS }).primaryKey(),
  completedAt: instant("completed_at").notNull(),
  deploymentId: uuid("deployment_id").notNull(),
});
