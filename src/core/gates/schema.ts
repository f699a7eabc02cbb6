/** What keeps a plan that waits from being applied: a row for each gate that is closed. */
import { sql } from "drizzle-orm";
import { pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";
import type { ProblemCode } from "../../platform/problems/problem.ts";
import { GATES } from "./gate.ts";

export const deploymentGates = pgTable(
  "deployment_gates",
  {
    deploymentId: uuid("deployment_id").notNull(),
    gate: text("gate", { enum: GATES }).notNull(),
    planRunId: uuid("plan_run_id").notNull(),
    code: text("code").$type<ProblemCode>().notNull(),
    detail: text("detail").notNull(),
    closedAt: instant("closed_at").notNull().default(sql`svc_now()`),
    openUntil: instant("open_until"),
    dueAt: instant("due_at"),
  },
  (table) => [primaryKey({ columns: [table.deploymentId, table.gate] })],
);
