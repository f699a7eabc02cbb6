/** Notification integrations. */
import { sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import type { NotifiedEvent } from "../../work/eventNames.ts";
import type { OutboxMessage } from "../../work/message.ts";
import { sealedIntegrations } from "../sealedIntegration/sealedIntegrations.ts";
import {
  type AuthConfig,
  type AuthConfigBody,
  changedParts,
  isMail,
  mergeAuth,
  openAuth,
  sealAuth,
  summaryOf,
} from "./authConfig.ts";
import { assertOpened, type InstallationMail } from "./mail/installationMail.ts";
import {
  type NotificationIntegrationRow,
  type notificationDeliveries,
  notificationIntegrations,
  type ProviderConfig,
  type ProviderType,
} from "./schema.ts";

class NameTakenError extends ProblemError {
  constructor() {
    const detail = "This organization already has a notification integration of that name.";
    super({ status: 409, code: "conflict", detail });
  }
}

export type IntegrationSettings = {
  name: string;
  provider_type: ProviderType;
  enabled: boolean;
  events: NotifiedEvent[];
  changes_only: boolean;
  stack_label_selector: Record<string, string>;
  provider_config: ProviderConfig;
  auth_config?: AuthConfigBody | undefined;
};

export const {
  create: createIntegration,
  update: updateIntegration,
  remove: deleteIntegration,
  authorize: authorizeIntegration,
  list: listIntegrations,
  listRules: INTEGRATION_LIST,
} = sealedIntegrations<NotificationIntegrationRow, IntegrationSettings, AuthConfig>({
  type: "notification_integration",
  table: notificationIntegrations,
  nameTaken: NameTakenError,
  columns: (settings) => ({
    name: settings.name,
    providerType: settings.provider_type,
    enabled: settings.enabled,
    events: settings.events,
    changesOnly: settings.changes_only,
    stackLabelSelector: settings.stack_label_selector,
    providerConfig: settings.provider_config,
  }),
  details: (row) => ({
    name: row.name,
    provider_type: row.providerType,
    enabled: row.enabled,
    events: row.events,
    changes_only: row.changesOnly,
    stack_label_selector: row.stackLabelSelector,
    provider_config: row.providerConfig,
    auth: row.authConfigSummary,
  }),
  seal: sealAuth,
  open: (keyring, { id, authConfig }) => openAuth(keyring, id, authConfig),
  merge(stored, sent, { provider_type }) {
    if (sent !== undefined) return mergeAuth(stored, sent);
    if (provider_type === "email") return { smtp: null };
    throw new InvalidValueError([{ field: "auth_config", message: "is required" }]);
  },
  async checkSecrets({ providerType }, { provider_type }) {
    if ((providerType === "email") === (provider_type === "email")) return;
    const message = "cannot become or cease to be email: make another integration";
    throw new InvalidValueError([{ field: "provider_type", message }]);
  },
  summary: summaryOf,
  changedSecrets: changedParts,
  async updating({ tx, messages }) {
    return async (before, after) => {
      if (before.enabled && !after.enabled) messages.push(...(await giveUpOpen(tx, after.id)));
    };
  },
  // Its deliveries go with it, also those in flight.
  async deleting({ tx, messages }, { id }) {
    const open = await tx.execute<SqlRow<typeof notificationDeliveries, "id" | "status">>(sql`
      delete from notification_deliveries where integration_id = ${id}
      returning id, status`);
    const pending = open.filter(({ status }) => status === "pending");
    return async () => void messages.push(...pending.map((row) => ended(row.id)));
  },
});

/** Whether it may mail to its recipients by its server. @throws InvalidValueError */
export function assertMayMail(
  mail: InstallationMail,
  { provider_type, provider_config, auth_config: auth }: IntegrationSettings,
  stored: NotificationIntegrationRow | null,
): void {
  if (provider_type !== "email") return;
  const own = auth === undefined ? stored?.authConfigSummary.smtp : isMail(auth) && auth.smtp;
  if (!own) assertOpened(mail, provider_config.recipients ?? []);
}

/** What waits for a later attempt stays as dead, to be retried by hand once the integration is enabled again. */
async function giveUpOpen(tx: Queryable, integrationId: string): Promise<OutboxMessage[]> {
  const rows = await tx.execute<{ id: string }>(sql`
    update notification_deliveries set status = 'dead', dead_at = svc_now(), last_error = 'the integration is disabled'
    where integration_id = ${integrationId} and status = 'pending' returning id`);
  return rows.map(({ id }) => ended(id));
}

const ended = (deliveryId: string): OutboxMessage => ({ kind: "endNotification", deliveryId });
