/** Logins of programs without a browser that are under way (docs/rules/sign-in.md#a-program-without-a-browser). */
import { sql } from "drizzle-orm";
import { integer, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { bytea, instant } from "../../platform/db/columns.ts";

export const deviceLogins = pgTable("device_logins", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  deviceCodeSha256: bytea("device_code_sha256").notNull(),
  userCode: text("user_code").notNull(),
  clientName: text("client_name").notNull(),
  hostName: text("host_name").notNull(),
  address: text("address").notNull(),
  decision: text("decision", { enum: ["approved", "denied"] }),
  sessionId: uuid("session_id"),
  orgId: uuid("org_id"),
  pollSeconds: integer("poll_seconds").notNull().default(5),
  polledAt: instant("polled_at"),
  expiresAt: instant("expires_at").notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});
