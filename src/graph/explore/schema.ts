/** The explore database, in a schema of its own, and what the main database knows of an organization's explore data. */
import { sql } from "drizzle-orm";
import { boolean, integer, jsonb, pgSchema, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { bytea, instant } from "../../platform/db/columns.ts";

export const FINDING_KINDS = ["cycle", "orphan", "duplicate"] as const;

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

const explore = pgSchema("explore");

/** Tells an emptied or exchanged explore database from the one that was written to. */
export const installation = explore.table("installation", {
  singleton: boolean("singleton").primaryKey().default(true),
  id: uuid("id").notNull().defaultRandom(),
});

export const indexedStacks = explore.table("stacks", {
  stackKey: uuid("stack_key").primaryKey(),
  orgId: uuid("org_id").notNull(),
  runId: uuid("run_id").notNull(),
  runCompletedAt: instant("run_completed_at").notNull(),
  state: text("state", { enum: ["loading", "known", "unknown"] }).notNull(),
  complete: boolean("complete").notNull().default(false),
});

export const indexedResources = explore.table(
  "resources",
  {
    stackKey: uuid("stack_key").notNull(),
    address: text("address").notNull(),
    orgId: uuid("org_id").notNull(),
    mode: text("mode", { enum: ["managed", "data"] }).notNull(),
    type: text("type").notNull(),
    provider: text("provider").notNull(),
    realm: text("realm"),
    identity: text("identity"),
    identityHash: bytea("identity_hash"),
    searched: text("searched").notNull().generatedAlwaysAs(sql`address || e'\n' || coalesce(identity, '')`),
  },
  (t) => [primaryKey({ columns: [t.stackKey, t.address] })],
);

export const findings = explore.table(
  "findings",
  {
    orgId: uuid("org_id").notNull(),
    kind: text("kind", { enum: FINDING_KINDS }).notNull(),
    /** What it is about, in hex: the same thing keeps its id. */
    key: text("key").notNull(),
    /** At most `MAX_STACKS` of them. */
    stackKeys: uuid("stack_keys").array().notNull(),
    stackCount: integer("stack_count").notNull(),
    details: jsonb("details").$type<Record<string, string | number | null>>().notNull().default({}),
    round: uuid("round").notNull(),
  },
  (t) => [primaryKey({ columns: [t.orgId, t.kind, t.key] })],
);
