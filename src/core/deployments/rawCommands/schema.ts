/** The scripts of raw deployments, encrypted. */
import { pgTable, uuid } from "drizzle-orm/pg-core";
import { bytea } from "../../../platform/db/columns.ts";

export const rawCommands = pgTable("raw_commands", {
  id: uuid("id").primaryKey(),
  deploymentId: uuid("deployment_id").notNull().unique(),
  script: bytea("script").notNull(),
});
