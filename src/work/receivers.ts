/** Whether anybody asks for an event, decided by the very statement that stores the messages of a transaction. */
import { type SQL, sql } from "drizzle-orm";

/**
 * True for every message but a `fanOut` that no enabled integration of the organization asks for: that one is not
 * stored, so that events cost an organization without notifications one index probe. `message` is a jsonb value.
 */
export function hasReceivers(message: SQL): SQL {
  return sql`(${message} ->> 'kind' <> 'fanOut' or exists (
    select from notification_integrations i
    where i.org_id = (${message} ->> 'orgId')::uuid and i.enabled and (${message} ->> 'event') = any(i.events)))`;
}
