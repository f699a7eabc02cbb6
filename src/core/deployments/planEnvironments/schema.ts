/** The variables that plans were made with, encrypted, for as long as the plan may be applied. */
import { pgTable, uuid } from "drizzle-orm/pg-core";
import { bytea } from "../../../platform/db/columns.ts";

export const planEnvironments = pgTable("plan_environments", {
  runId: uuid("run_id").primaryKey(),
  orgId: uuid("org_id").notNull(),
  sealed: bytea("sealed"),
});
