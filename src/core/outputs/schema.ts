/** Outputs that applies left, who is given them, and what plans were given of them. */
import { sql } from "drizzle-orm";
import { boolean, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { bytea, instant } from "../../platform/db/columns.ts";

export const stackOutputs = pgTable("stack_outputs", {
  runId: uuid("run_id").primaryKey(),
  orgId: uuid("org_id").notNull(),
  stackKey: uuid("stack_key").notNull(),
  /** Null when the runner could not read them. */
  sealed: bytea("sealed"),
  /** Names of those that are other than after the newest one before; null when that is unknown. */
  changed: text("changed").array(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});

export const outputReaders = pgTable(
  "output_readers",
  {
    stackKey: uuid("stack_key").notNull(),
    readerKey: uuid("reader_key").notNull(),
    orgId: uuid("org_id").notNull(),
    sensitive: boolean("sensitive").notNull(),
    createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  },
  (table) => [primaryKey({ columns: [table.stackKey, table.readerKey] })],
);

export const planInputs = pgTable("plan_inputs", {
  runId: uuid("run_id").primaryKey(),
  orgId: uuid("org_id").notNull(),
  sealed: bytea("sealed").notNull(),
});

/** A stack whose plan lacks what an apply of another one may bring. */
export const outputWaits = pgTable(
  "output_waits",
  {
    stackKey: uuid("stack_key").notNull(),
    awaitedKey: uuid("awaited_key").notNull(),
    orgId: uuid("org_id").notNull(),
    createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  },
  (table) => [primaryKey({ columns: [table.stackKey, table.awaitedKey] })],
);
