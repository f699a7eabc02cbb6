/** What the main database knows of an organization's explore data. The explore database's own tables are in `drizzle-explore/`. */
import { boolean, integer, pgTable, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";

export const exploreReports = pgTable("explore_reports", {
  orgId: uuid("org_id").primaryKey(),
  installation: uuid("installation"),
  cycles: integer("cycles"),
  orphans: integer("orphans"),
  duplicates: integer("duplicates"),
  cyclesComplete: boolean("cycles_complete"),
  orphansComplete: boolean("orphans_complete"),
  computedAt: instant("computed_at"),
});
