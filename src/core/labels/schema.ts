/** Label keys whose change needs a permission of its own (docs/rules/permissions.md#protected-labels). */
import { pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";

export const protectedLabels = pgTable(
  "protected_labels",
  { orgId: uuid("org_id").notNull(), key: text("key").notNull() },
  (t) => [primaryKey({ columns: [t.orgId, t.key] })],
);
