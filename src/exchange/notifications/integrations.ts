/** Creating, changing, deleting and finding notification integrations. */
import { and, eq, getTableColumns, sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import { type ListQuery, type ListRules, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { requireOrg, requireResource } from "../../people/authorization/authorize.ts";
import { ifReadable } from "../../platform/crypto/envelope.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Db, Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { isUuid } from "../../platform/ids/uuid.ts";
import { NotFoundError, ProblemError } from "../../platform/problems/problem.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { requireRow } from "../../platform/problems/requireRow.ts";
import { uniqueName } from "../../platform/problems/uniqueName.ts";
import type { NotifiedEvent } from "../../work/eventNames.ts";
import type { OutboxMessage } from "../../work/message.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { changedAuth, integrationChanges, integrationDetails } from "./auditDetails.ts";
import { type AuthConfigBody, mergeAuth, openAuth, sealAuth, summaryOf } from "./authConfig.ts";
import {
  type NotificationIntegrationRow,
  type notificationDeliveries,
  notificationIntegrations,
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
  auth_config?: AuthConfigBody | undefined;
};

export type IntegrationDeps = { service: Service; keyring: Keyring };

/** Needs (notification_integration, create) on the proposed name. @throws ForbiddenError, NameTakenError, InvalidValueError */
export async function createIntegration(
  { service, keyring }: IntegrationDeps,
  subject: Subject,
  orgId: string,
  settings: IntegrationSettings,
): Promise<NotificationIntegrationRow> {
  const check = { type: "notification_integration", action: "create", resourceId: settings.name } as const;
  await requireOrg(service.db, subject, orgId, check);
  if (settings.auth_config === undefined) {
    throw new InvalidValueError([{ field: "auth_config", message: "is required" }]);
  }
  const id = uuidv7();
  const auth = mergeAuth(null, settings.auth_config);
  const authConfig = await sealAuth(keyring, id, auth);
  const values = { id, orgId, authConfig, authConfigSummary: summaryOf(auth), ...columnsOf(settings) };
  return uniqueName(NameTakenError, () =>
    unitOfWork(service, async ({ tx }) => {
      const [row] = await tx.insert(notificationIntegrations).values(values).returning();
      await recordAudit(tx, audit(row!, subject, "notification_integration.create"));
      return row!;
    }),
  );
}

/** Replace the settings of the integration that `authorizeIntegration(..., "update")` gave; without `auth_config` that stays. */
export async function updateIntegration(
  { service, keyring }: IntegrationDeps,
  subject: Subject,
  { id, orgId, name }: NotificationIntegrationRow,
  settings: IntegrationSettings,
): Promise<NotificationIntegrationRow> {
  if (settings.name !== name) {
    const check = { type: "notification_integration", action: "update", resourceId: settings.name } as const;
    await requireResource(service.db, subject, orgId, check);
  }
  return uniqueName(NameTakenError, () =>
    unitOfWork(service, async ({ tx, messages }) => {
      const its = eq(notificationIntegrations.id, id);
      const stored = requireRow(await tx.select().from(notificationIntegrations).where(its).for("no key update"));
      const { authChanged, ...sealed } = await sealedAuth(keyring, stored, settings.auth_config);
      const set = { ...columnsOf(settings), ...sealed, updatedAt: sql`svc_now()` };
      const [row] = await tx.update(notificationIntegrations).set(set).where(its).returning();
      if (stored.enabled && !settings.enabled) messages.push(...(await giveUpOpen(tx, id)));
      const details = integrationChanges(stored, row!, authChanged);
      await recordAudit(tx, audit(row!, subject, "notification_integration.update", details));
      return row!;
    }),
  );
}

async function sealedAuth(keyring: Keyring, stored: NotificationIntegrationRow, sent: AuthConfigBody | undefined) {
  if (sent === undefined) return { authChanged: [] };
  // What no key opens any more is repaired by sending all of it again.
  const before = await ifReadable(openAuth(keyring, stored.id, stored.authConfig));
  const auth = mergeAuth(before, sent);
  const authConfig = await sealAuth(keyring, stored.id, auth);
  return { authConfig, authConfigSummary: summaryOf(auth), authChanged: changedAuth(before, auth) };
}

/** What waits for a later attempt stays as dead, to be retried by hand once the integration is enabled again. */
async function giveUpOpen(tx: Queryable, integrationId: string): Promise<OutboxMessage[]> {
  const rows = await tx.execute<{ id: string }>(sql`
    update notification_deliveries set status = 'dead', dead_at = svc_now(), last_error = 'the integration is disabled'
    where integration_id = ${integrationId} and status = 'pending' returning id`);
  return rows.map(({ id }) => ({ kind: "endNotification", deliveryId: id }));
}

/** Its deliveries go with it, also those in flight. */
export async function deleteIntegration(
  service: Service,
  subject: Subject,
  row: NotificationIntegrationRow,
): Promise<void> {
  await unitOfWork(service, async ({ tx, messages }) => {
    const open = await tx.execute<SqlRow<typeof notificationDeliveries, "id" | "status">>(sql`
      delete from notification_deliveries where integration_id = ${row.id}
      returning id, status`);
    const gone = await tx
      .delete(notificationIntegrations)
      .where(eq(notificationIntegrations.id, row.id))
      .returning({ id: notificationIntegrations.id });
    if (gone.length === 0) return;
    const pending = open.filter(({ status }) => status === "pending");
    messages.push(...pending.map(({ id }) => ({ kind: "endNotification", deliveryId: id }) as const));
    await recordAudit(tx, audit(row, subject, "notification_integration.delete"));
  });
}

/** The integration, if the subject may do that with it. @throws NotFoundError, the uniform 404 */
export async function authorizeIntegration(
  db: Queryable,
  subject: Subject,
  orgId: string,
  id: string,
  action: "read" | "update" | "delete",
): Promise<NotificationIntegrationRow> {
  const [row] =
    isUuid(orgId) && isUuid(id)
      ? await db
          .select()
          .from(notificationIntegrations)
          .where(and(eq(notificationIntegrations.id, id), eq(notificationIntegrations.orgId, orgId)))
      : [];
  await requireResource(db, subject, orgId, { type: "notification_integration", action, resourceId: row?.name ?? "" });
  if (row === undefined) throw new NotFoundError();
  return row;
}

export const INTEGRATION_LIST = {
  fields: {
    created_at: { value: sql`${notificationIntegrations.createdAt}`, type: "timestamptz" },
    name: { value: sql`${notificationIntegrations.name}`, type: "text" },
  },
  byDefault: "created_at",
  id: sql`${notificationIntegrations.id}`,
  idType: "uuid",
} as const satisfies ListRules<string>;

/** Needs (notification_integration, read) of the whole family. @throws ForbiddenError, InvalidValueError */
export async function listIntegrations(db: Db, subject: Subject, orgId: string, query: ListQuery) {
  const list = listPage(query, INTEGRATION_LIST);
  await requireOrg(db, subject, orgId, { type: "notification_integration", action: "read" });
  const rows = await db
    .select({ ...getTableColumns(notificationIntegrations), sort_value: list.sortValue })
    .from(notificationIntegrations)
    .where(sql`${notificationIntegrations.orgId} = ${orgId} and ${list.after}`)
    .orderBy(list.orderBy)
    .limit(list.limit);
  return list.cut(rows, (row) => row.id);
}

function columnsOf(settings: IntegrationSettings) {
  return {
    name: settings.name,
    providerType: settings.provider_type,
    enabled: settings.enabled,
    events: settings.events,
    changesOnly: settings.changes_only,
    stackLabelSelector: settings.stack_label_selector,
  };
}

function audit(
  row: NotificationIntegrationRow,
  { id, kind }: Subject,
  action: `notification_integration.${"create" | "update" | "delete"}`,
  details: Record<string, unknown> = integrationDetails(row),
) {
  return { orgId: row.orgId, actor: { id, kind }, action, resourceId: row.id, details };
}
