/** Cloud access of a stack's runs: one integration per provider, and the roles of a `cloud_a` one. */
import { sql } from "drizzle-orm";
import { boolean, jsonb, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { instant } from "../../platform/db/columns.ts";
import type { FederatedConfig } from "./federated/config.ts";
import { PROVIDER_TYPES } from "./providerType.ts";

export const cloudIntegrations = pgTable("cloud_integrations", {
  id: uuid("id").primaryKey().default(sql`uuidv7()`),
  stackKey: uuid("stack_key").notNull(),
  providerType: text("provider_type", { enum: PROVIDER_TYPES }).notNull(),
  serviceAccountEmail: text("service_account_email"),
  /** Of the service account; roles say it for themselves. */
  useInPreviews: boolean("use_in_previews").notNull().default(true),
  /** Of a cloud that trusts the service as an issuer; nothing in it is a secret. */
  config: jsonb("config").$type<FederatedConfig>(),
  createdAt: instant("created_at").notNull().default(sql`svc_now()`),
  updatedAt: instant("updated_at").notNull().default(sql`svc_now()`),
});

export const cloudIntegrationRoles = pgTable(
  "cloud_integration_roles",
  {
    integrationId: uuid("integration_id").notNull(),
    name: text("name").notNull(),
    roleArn: text("role_arn").notNull(),
    inlinePolicy: text("inline_policy"),
    useInPreviews: boolean("use_in_previews").notNull().default(true),
  },
  (t) => [primaryKey({ columns: [t.integrationId, t.name] })],
);
