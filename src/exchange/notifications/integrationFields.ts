/** Notification integrations: what is asked and answered. */
import * as v from "valibot";
import { labelsField } from "../../core/stacks/fields.ts";
import { Id, Labels, pageOf, Time } from "../../http/answerFields.ts";
import { displayName } from "../../http/textFields.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { NOTIFIED_EVENTS } from "../../work/eventNames.ts";
import { HttpAuthBody } from "./httpAuth.ts";
import { MailAddress } from "./mail/mailAddress.ts";
import { MailAuthBody, SECURITIES } from "./mail/mailAuth.ts";
import { type NotificationIntegrationRow, POSTED_TYPES, PROVIDER_TYPES } from "./schema.ts";

const MAX_RECIPIENTS = 20;

const COMMON = {
  name: displayName(100),
  enabled: v.optional(v.boolean(), true),
  events: v.pipe(
    v.array(v.picklist(NOTIFIED_EVENTS)),
    v.maxLength(100),
    v.transform((events) => NOTIFIED_EVENTS.filter((name) => events.includes(name))),
  ),
  changes_only: v.optional(v.boolean(), false),
  stack_label_selector: v.optional(labelsField({ systemKeys: true }), {}),
};

const Recipients = v.pipe(
  v.array(MailAddress),
  v.minLength(1),
  v.maxLength(MAX_RECIPIENTS),
  v.check(
    (list) => new Set(list.map((address) => address.toLowerCase())).size === list.length,
    "must not name an address twice",
  ),
);

/** Body of POST and PUT. */
export const IntegrationBody = v.variant("provider_type", [
  v.strictObject({
    ...COMMON,
    provider_type: v.optional(v.picklist(POSTED_TYPES), "webhook"),
    // What is posted to has no settings that are no secrets.
    provider_config: v.optional(v.strictObject({}), {}),
    auth_config: v.optional(HttpAuthBody),
  }),
  v.strictObject({
    ...COMMON,
    provider_type: v.literal("email"),
    provider_config: v.strictObject({ recipients: Recipients }),
    auth_config: v.pipe(
      v.optional(MailAuthBody),
      v.metadata({ description: "Absent in a new integration: the installation's mail server" }),
    ),
  }),
]);

const text = v.string();
const Smtp = v.object({
  host: text,
  port: v.number(),
  security: v.picklist(SECURITIES),
  username: v.optional(text),
  from: text,
});
export const Integration = v.pipe(
  v.object({
    id: Id,
    org_id: Id,
    name: text,
    provider_type: v.picklist(PROVIDER_TYPES),
    enabled: v.boolean(),
    events: v.array(v.picklist(NOTIFIED_EVENTS)),
    changes_only: v.boolean(),
    stack_label_selector: Labels,
    provider_config: v.object({ recipients: v.optional(v.array(text)) }),
    auth_config_summary: v.object({
      has_secret: v.pipe(v.boolean(), v.metadata({ description: "A secret for signatures; of email, a password" })),
      header_count: v.number(),
      smtp: v.pipe(
        v.optional(v.nullable(Smtp)),
        v.metadata({ description: "Of email: its server; null: the installation's" }),
      ),
    }),
    created_at: Time,
    updated_at: Time,
  }),
  v.metadata({ ref: "NotificationIntegration" }),
);
export const IntegrationPage = v.pipe(pageOf(Integration), v.metadata({ ref: "NotificationIntegrationPage" }));

export function integrationAnswer(row: NotificationIntegrationRow): v.InferInput<typeof Integration> {
  return {
    id: row.id,
    org_id: row.orgId,
    name: row.name,
    provider_type: row.providerType,
    enabled: row.enabled,
    events: row.events,
    changes_only: row.changesOnly,
    stack_label_selector: row.stackLabelSelector,
    provider_config: row.providerConfig,
    auth_config_summary: row.authConfigSummary,
    created_at: rfc3339(row.createdAt),
    updated_at: rfc3339(row.updatedAt),
  };
}
