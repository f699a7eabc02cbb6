/** What a unit of work leaves to others, written in the causing transaction. */
import { sql } from "drizzle-orm";
import { bigint, integer, jsonb, pgTable, smallint, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../platform/db/columns.ts";
import type { SqlRow } from "../platform/db/sqlRow.ts";
import { ACTOR_KINDS, type DomainEvent, type DomainEventName } from "./domainEvent.ts";
import type { OutboxMessage } from "./message.ts";

/** One row per transition: ids and enums only (docs/rules/transitions.md#domain-events). */
export const domainEvents = pgTable("domain_events", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  name: text("name").$type<DomainEventName>().notNull(),
  stackKey: uuid("stack_key"),
  deploymentId: uuid("deployment_id"),
  runId: uuid("run_id"),
  actorId: text("actor_id"),
  actorKind: text("actor_kind", { enum: ACTOR_KINDS }),
  data: jsonb("data").$type<DomainEvent["data"]>().notNull().default({}),
  fannedOutAt: instant("fanned_out_at"),
  occurredAt: instant("occurred_at").notNull().default(sql`svc_now()`),
});

/** Messages to Temporal (docs/rules/workflows.md#the-outbox). */
export const outbox = pgTable("outbox", {
  id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
  message: jsonb("message").$type<OutboxMessage>().notNull(),
  attempts: integer("attempts").notNull().default(0),
  dueAt: instant("due_at").notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  /** Of what wrote it; null with tracing off. */
  traceparent: text("traceparent"),
  /** How soon it is to be sent: 0 and 1 at once by the writer, 2 and 3 in turn by the relay. */
  class: smallint("class").generatedAlwaysAs(sql`outbox_class(message)`),
  orgId: uuid("org_id").generatedAlwaysAs(
    sql`coalesce((message ->> 'orgId')::uuid, '00000000-0000-0000-0000-000000000000'::uuid)`,
  ),
});

/** A message as its writer and the relay see it. */
export type OutboxRow = SqlRow<typeof outbox, "id" | "message"> &
  Partial<SqlRow<typeof outbox, "traceparent" | "class">>;
