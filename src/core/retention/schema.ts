/** How far the removal of data past its retention has come. */
import { pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";

export const retentionProgress = pgTable("retention_progress", {
  kind: text("kind").primaryKey(),
  completedAt: instant("completed_at").notNull(),
  deploymentId: uuid("deployment_id").notNull(),
});
