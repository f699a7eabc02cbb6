/** Where an organization's people sign in, what their groups confer, and sign-ins under way. */
import { sql } from "drizzle-orm";
import { boolean, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { bytea, instant } from "../../platform/db/columns.ts";
import { PROVIDER_KEYS } from "../members/schema.ts";

const RULE_TYPES = ["codehost_org", "codehost_team", "workspace_hd", "oidc_group"] as const;
export type RuleType = (typeof RULE_TYPES)[number];

export const identitySources = pgTable("identity_sources", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  providerKey: text("provider_key", { enum: PROVIDER_KEYS }).notNull(),
  sourceSlug: text("source_slug").notNull(),
  displayName: text("display_name").notNull(),
  oidcIssuer: text("oidc_issuer").notNull().default(""),
  oidcClientId: text("oidc_client_id").notNull().default(""),
  oidcGroupsClaim: text("oidc_groups_claim").notNull().default(""),
  groupsScope: text("groups_scope"),
  clientSecret: bytea("client_secret"),
  enabled: boolean("enabled").notNull().default(true),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  updatedAt: instant("updated_at").notNull().default(sql`svc_now()`),
});

/** Who becomes a member by signing in. */
export const accessRules = pgTable("access_rules", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  identitySourceId: uuid("identity_source_id").notNull(),
  ruleType: text("rule_type", { enum: RULE_TYPES }).notNull(),
  rule: jsonb("rule").$type<object>().notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});

const PROOF_KINDS = ["domain", "codehost_org"] as const;
export type ProofKind = (typeof PROOF_KINDS)[number];

/** What an organization has shown, or is about to show, to be its own. */
export const organizationProofs = pgTable("organization_proofs", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  orgId: uuid("org_id").notNull(),
  kind: text("kind", { enum: PROOF_KINDS }).notNull(),
  name: text("name").notNull(),
  token: text("token").notNull(),
  provenAt: instant("proven_at"),
  provenBy: text("proven_by", { enum: ["dns", "operator", "app"] }),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});

export const groupRoleBindings = pgTable("group_role_bindings", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  identitySourceId: uuid("identity_source_id").notNull(),
  groupKey: text("group_key").notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});

export const groupRoleBindingRoles = pgTable(
  "group_role_binding_roles",
  { bindingId: uuid("binding_id").notNull(), roleId: uuid("role_id").notNull() },
  (t) => [primaryKey({ columns: [t.bindingId, t.roleId] })],
);

/**
 * What a sign-in learned of a user's groups; expired means absent. It names no source, so that it outlives settings.
 */
export const externalEntitlements = pgTable(
  "external_entitlements",
  {
    userId: text("user_id").notNull(),
    providerKey: text("provider_key").notNull(),
    issuer: text("issuer").notNull().default(""),
    clientId: text("client_id").notNull().default(""),
    groupsClaim: text("groups_claim").notNull().default(""),
    groupKey: text("group_key").notNull(),
    expiresAt: instant("expires_at").notNull(),
    /** The question and the group, which together may be longer than an index entry. */
    toldSha256: bytea("told_sha256")
      .notNull()
      .generatedAlwaysAs(sql`sha256_of(provider_key, issuer, client_id, groups_claim, group_key)`),
  },
  (t) => [primaryKey({ columns: [t.userId, t.toldSha256] })],
);

/** A sign-in under way: single use, ten minutes, bound to the browser that began it. */
export const authStates = pgTable("auth_states", {
  stateSha256: bytea("state_sha256").primaryKey(),
  browserSha256: bytea("browser_sha256").notNull(),
  providerKey: text("provider_key", { enum: PROVIDER_KEYS }).notNull(),
  identitySourceId: uuid("identity_source_id"),
  linkUserId: text("link_user_id"),
  linkSessionId: uuid("link_session_id"),
  secrets: bytea("secrets").notNull(),
  returnTo: text("return_to").notNull().default("/"),
  expiresAt: instant("expires_at").notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});

/** What a provider answered and the person has yet to agree to; ten minutes, for the session that it came to. */
export const signInConfirmations = pgTable("sign_in_confirmations", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  sessionId: uuid("session_id").notNull(),
  /** True: it would link an identity. False: it would sign this browser in as somebody else. */
  links: boolean("links").notNull(),
  identitySourceId: uuid("identity_source_id"),
  answer: bytea("answer").notNull(),
  returnTo: text("return_to").notNull(),
  expiresAt: instant("expires_at").notNull(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
});

/** Authorization codes that came through the callback; each works once here. */
export const usedSignInCodes = pgTable("used_sign_in_codes", {
  codeSha256: bytea("code_sha256").primaryKey(),
  expiresAt: instant("expires_at").notNull(),
});
