/** Which explore database an organization's data is in: an emptied or exchanged one is told by its `installation`. */
import { sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";

export async function currentInstallation(explore: Queryable): Promise<string> {
  const [row] = await explore.execute<{ id: string }>(sql`select id from explore.installation`);
  if (row === undefined) throw new Error("the explore database names no installation");
  return row.id;
}

/** Whether every stack of the organization has been indexed in this explore database. */
export async function isIndexedIn(main: Queryable, orgId: string, installation: string): Promise<boolean> {
  const rows = await main.execute(
    sql`select from explore_reports where org_id = ${orgId} and installation = ${installation}`,
  );
  return rows.length > 0;
}

/** Nothing when the organization is gone. */
export async function setInstallation(main: Queryable, orgId: string, installation: string): Promise<void> {
  await main.execute(sql`
    insert into explore_reports (org_id, installation) select id, ${installation} from organizations where id = ${orgId}
    on conflict (org_id) do update set installation = excluded.installation`);
}
