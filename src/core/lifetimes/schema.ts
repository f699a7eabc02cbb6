/** Lifetimes of stacks; when each ends is the stack's own `expires_at`. */
import { sql } from "drizzle-orm";
import { doublePrecision, integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";
import { ACTOR_KINDS } from "../../work/domainEvent.ts";

/** `failed`: the destroy came to nothing, and the stack stays until somebody does something about it. */
export const LIFETIME_PHASES = ["alive", "destroying", "failed"] as const;
export type LifetimePhase = (typeof LIFETIME_PHASES)[number];

/** Why what is due has not begun. */
export const LIFETIME_PUT_OFF = ["held", "busy", "quota"] as const;
export type LifetimePutOff = (typeof LIFETIME_PUT_OFF)[number];

export const stackLifetimes = pgTable("stack_lifetimes", {
  stackKey: uuid("stack_key").primaryKey(),
  orgId: uuid("org_id").notNull(),
  remindMs: doublePrecision("remind_ms").notNull(),
  reason: text("reason").notNull(),
  setBy: text("set_by").notNull(),
  setByKind: text("set_by_kind", { enum: ACTOR_KINDS }).notNull(),
  setAt: instant("set_at").notNull().default(sql`svc_now()`),
  phase: text("phase", { enum: LIFETIME_PHASES }).notNull().default("alive"),
  remindedAt: instant("reminded_at"),
  destroyId: uuid("destroy_id"),
  error: text("error"),
  putOff: text("put_off", { enum: LIFETIME_PUT_OFF }),
  putOffTimes: integer("put_off_times").notNull().default(0),
  dueAt: instant("due_at"),
});
