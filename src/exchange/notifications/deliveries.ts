/**
 * Deliveries as people see them: in flight or dead, and sending one again
 * (docs/rules/notifications.md#what-did-not-get-through).
 */
import { sql } from "drizzle-orm";
import { byCreation, type ListQuery, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { requireOrg } from "../../people/authorization/authorize.ts";
import type { Db, Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { isUuid } from "../../platform/ids/uuid.ts";
import { NotFoundError, ProblemError } from "../../platform/problems/problem.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { authorizeIntegration } from "./integrations.ts";
import type { notificationDeliveries } from "./schema.ts";

export type DeliveryRow = Omit<SqlRow<typeof notificationDeliveries>, "org_id" | "domain_event_id" | "body"> & {
  integration_name: string;
  /** Null when the event concerns no stack. */
  stack_id: string | null;
};

class NotRetriableError extends ProblemError {
  constructor(detail: string) {
    super({ status: 409, code: "conflict", detail });
  }
}

export const DELIVERY_LIST = byCreation("d");

export type DeliveryFilters = {
  status?: string | undefined;
  event_type?: string | undefined;
  integration_id?: string | undefined;
};

const COLUMNS = sql`d.id, d.integration_id, i.name as integration_name, d.event_type, s.slug as stack_id, d.stack_key, d.deployment_id, d.status,
  d.attempts, d.last_status, d.last_error, d.due_at::text, d.created_at::text, d.dead_at::text`;
const TABLES = sql`notification_deliveries d join notification_integrations i on i.id = d.integration_id
  left join stacks s on s.stack_key = d.stack_key`;

/** Needs (notification_integration, read) of the whole family. @throws ForbiddenError, InvalidValueError */
export async function listDeliveries(
  db: Db,
  subject: Subject,
  orgId: string,
  { status, event_type, integration_id, ...query }: ListQuery & DeliveryFilters,
) {
  const list = listPage(query, DELIVERY_LIST);
  await requireOrg(db, subject, orgId, { type: "notification_integration", action: "read" });
  const filters = [
    ...(status === undefined ? [] : [sql`d.status = ${status}`]),
    ...(event_type === undefined ? [] : [sql`d.event_type = ${event_type}`]),
    ...(integration_id === undefined ? [] : [sql`d.integration_id = ${integration_id}::uuid`]),
  ];
  const rows = await db.execute<DeliveryRow & { sort_value: string }>(sql`
    select ${COLUMNS}, ${list.sortValue} from ${TABLES}
    where ${sql.join([sql`d.org_id = ${orgId}`, ...filters, list.after], sql` and `)}
    order by ${list.orderBy} limit ${list.limit}`);
  return list.cut(rows, (row) => row.id);
}

/**
 * Begin anew with a delivery that is dead or waits for its next attempt: same id, same bytes. Needs
 * (notification_integration, update) on its integration. @throws NotFoundError, NotRetriableError
 */
export async function retryDelivery(
  service: Service,
  subject: Subject,
  orgId: string,
  deliveryId: string,
): Promise<DeliveryRow> {
  const found = isUuid(orgId) && isUuid(deliveryId) ? await readDelivery(service.db, orgId, deliveryId) : null;
  const integration = await authorizeIntegration(service.db, subject, orgId, found?.integration_id ?? "", "update");
  if (found === null) throw new NotFoundError();
  if (!integration.enabled) throw new NotRetriableError("The integration is disabled.");
  return unitOfWork(service, async ({ tx, messages }) => {
    const changed = await tx.execute(sql`
      update notification_deliveries set status = 'pending', attempts = 0, dead_at = null, due_at = svc_now()
      where id = ${deliveryId} and (status = 'dead' or due_at > svc_now()) returning id`);
    const row = await readDelivery(tx, orgId, deliveryId);
    // Taken by its target since.
    if (row === null) throw new NotFoundError();
    if (changed.length === 0) throw new NotRetriableError("The delivery is being sent already.");
    const { event_type: event, stack_key: stackKey, deployment_id } = row;
    messages.push({ kind: "retryNotification", orgId, deliveryId, event, stackKey, deploymentId: deployment_id });
    const details = { integration_id: row.integration_id, event_type: row.event_type };
    const actor = { id: subject.id, kind: subject.kind };
    await recordAudit(tx, { orgId, actor, action: "notification_delivery.retry", resourceId: deliveryId, details });
    return row;
  });
}

async function readDelivery(db: Queryable, orgId: string, id: string): Promise<DeliveryRow | null> {
  const [row] = await db.execute<DeliveryRow>(sql`
    select ${COLUMNS} from ${TABLES} where d.id = ${id} and d.org_id = ${orgId}`);
  return row ?? null;
}
