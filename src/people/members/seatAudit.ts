/** The daily look at seats: a warning for each organization that has more members than it may. It evicts no one. */
import { sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import type { Logger } from "../../platform/telemetry/log.ts";
import { activeMembers } from "./seats.ts";

/** @returns how many organizations are over their cap. Personal ones have none. */
export async function auditSeats(db: Db, log: Pick<Logger, "warn">): Promise<{ overCap: number }> {
  const rows = await db.execute<{
    id: string;
    max_users: number;
    members: number;
  }>(sql`
    select o.id, o.max_users, c.members from organizations o
    cross join lateral (select ${activeMembers(sql`o.id`)}::int as members) c
    where not o.is_personal and c.members > o.max_users order by o.id`);
  for (const { id, max_users, members } of rows) {
    log.warn({ org_id: id, max_users, members }, "organization is over its seat cap");
  }
  return { overCap: rows.length };
}
