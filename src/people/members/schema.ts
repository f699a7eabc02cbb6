/**
 * People and their memberships (docs/rules/organizations.md#user-ids). `users.id` holds e-mail addresses: it never
 * reaches Temporal or a log.
 */
import { sql } from "drizzle-orm";
import { boolean, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";

/** The ways of signing in. */
export const PROVIDER_KEYS = ["codehost", "workspace", "oidc"] as const;

export const users = pgTable("users", {
  id: text("id").primaryKey(),
  providerKey: text("provider_key").notNull(),
  issuer: text("issuer").notNull(),
  subject: text("subject").notNull(),
  login: text("login").notNull(),
  displayName: text("display_name"),
  isSuperAdmin: boolean("is_super_admin").notNull().default(false),
  disabledAt: instant("disabled_at"),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});

/** What made somebody a member. */
export type MembershipSource = "manual" | "identity_source" | "invitation";

export const memberships = pgTable("memberships", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  userId: text("user_id").notNull(),
  source: text("source").$type<MembershipSource>().notNull().default("manual"),
  expiresAt: instant("expires_at"),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  /** Set for those that an access rule gave: the identity that met it. */
  identityId: uuid("identity_id"),
});

/**
 * Who signed in as whom; a user has several only by explicit linking. E-mail never identifies anyone
 * (docs/rules/sign-in.md#identities).
 */
export const userIdentities = pgTable(
  "user_identities",
  {
    providerKey: text("provider_key", { enum: PROVIDER_KEYS }).notNull(),
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    userId: text("user_id").notNull(),
    createdAt: instant("created_at").notNull().default(sql`svc_now()`),
    lastLoginAt: instant("last_login_at"),
    id: uuid("id").notNull().unique().default(sql`uuidv7()`),
    /** What the provider called the person last; only shown. */
    login: text("login"),
  },
  (t) => [primaryKey({ columns: [t.providerKey, t.issuer, t.subject] })],
);

/** Pre-approvals, consumed by the sign-in that matches them. */
export const invitations = pgTable("invitations", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  providerKey: text("provider_key", { enum: PROVIDER_KEYS }).notNull(),
  login: text("login").notNull(),
  roleIds: uuid("role_ids").array().notNull().default([]),
  invitedBy: text("invited_by"),
  expiresAt: instant("expires_at").notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});

/** Memberships that wait for the person's word. */
export const membershipOffers = pgTable("membership_offers", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  userId: text("user_id").notNull(),
  source: text("source", { enum: ["manual", "identity_source"] }).notNull(),
  identityId: uuid("identity_id"),
  offeredBy: text("offered_by"),
  memberUntil: instant("member_until"),
  expiresAt: instant("expires_at").notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});
