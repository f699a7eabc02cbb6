/** Who has to approve a plan before it is applied, and who did. */
import { sql } from "drizzle-orm";
import { bigint, boolean, integer, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";

/** Whose approvals count, by ids. All empty: whoever may review the stack. A service account counts only by name. */
export type Approvers = {
  roles: string[];
  groups: { identity_source_id: string; group_key: string }[];
  service_accounts: string[];
  /** Names that nobody bears. */
  unknown?: string[];
};

export const APPLIED_MODES = ["plan", "destroy", "refresh"] as const;
export const VERDICTS = ["approve", "reject"] as const;
export type Verdict = (typeof VERDICTS)[number];

export const approvalRules = pgTable("approval_rules", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  name: text("name").notNull(),
  selector: jsonb("selector").$type<Record<string, string>>().notNull(),
  modes: text("modes", { enum: APPLIED_MODES }).array().notNull(),
  previews: boolean("previews").notNull(),
  destructive: boolean("destructive").notNull(),
  count: integer("count").notNull(),
  approvers: jsonb("approvers").$type<Approvers>().notNull(),
  deadlineMs: bigint("deadline_ms", { mode: "number" }),
  remindMs: bigint("remind_ms", { mode: "number" }),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  updatedAt: instant("updated_at").notNull().default(sql`svc_now()`),
});
export type ApprovalRuleRow = typeof approvalRules.$inferSelect;

/** What something else than a rule asks for, for one plan. */
export const approvalRequirements = pgTable("approval_requirements", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  deploymentId: uuid("deployment_id").notNull(),
  planRunId: uuid("plan_run_id").notNull(),
  source: text("source", { enum: ["policy"] }).notNull(),
  name: text("name").notNull(),
  reason: text("reason"),
  count: integer("count").notNull(),
  approvers: jsonb("approvers").$type<Approvers>().notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});

/** A word about one plan. It is never changed: the newest one of a person counts. */
export const deploymentReviews = pgTable("deployment_reviews", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  seq: bigint("seq", { mode: "number" }).notNull().generatedAlwaysAsIdentity(),
  orgId: uuid("org_id").notNull(),
  deploymentId: uuid("deployment_id").notNull(),
  planRunId: uuid("plan_run_id"),
  reviewerId: text("reviewer_id").notNull(),
  reviewerKind: text("reviewer_kind", { enum: ["user", "service_account"] }).notNull(),
  verdict: text("verdict", { enum: VERDICTS }).notNull(),
  comment: text("comment"),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});

/** Who ever minted a token of an account, also of one that is deleted by now. */
export const serviceAccountMinters = pgTable(
  "service_account_minters",
  {
    serviceAccountId: uuid("service_account_id").notNull(),
    userId: text("user_id").notNull(),
    orgId: uuid("org_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.serviceAccountId, table.userId] })],
);

/** What code hosts and commits may call a person, in lower case. */
export const knownNames = pgTable(
  "known_names",
  { name: text("name").notNull(), userId: text("user_id").notNull() },
  (table) => [primaryKey({ columns: [table.userId, table.name] })],
);

/** Who else made a deployment: who made or changed the schedule, or set the lifetime, that it came by. */
export const deploymentMakers = pgTable(
  "deployment_makers",
  {
    deploymentId: uuid("deployment_id").notNull(),
    kind: text("kind", { enum: ["user", "service_account"] }).notNull(),
    makerId: text("maker_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.deploymentId, table.kind, table.makerId] })],
);

/** Who made a schedule, or changed when it comes or what it does. */
export const scheduleMakers = pgTable(
  "schedule_makers",
  {
    scheduleId: uuid("schedule_id").notNull(),
    kind: text("kind", { enum: ["user", "service_account"] }).notNull(),
    makerId: text("maker_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.scheduleId, table.kind, table.makerId] })],
);

/** Who set or prolonged a stack's lifetime. */
export const lifetimeMakers = pgTable(
  "lifetime_makers",
  {
    stackKey: uuid("stack_key").notNull(),
    kind: text("kind", { enum: ["user", "service_account"] }).notNull(),
    makerId: text("maker_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.stackKey, table.kind, table.makerId] })],
);
