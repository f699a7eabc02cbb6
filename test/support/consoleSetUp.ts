/** An organization that has been set up: what the pages of its set-up show. */
import type { ConsoleWorld } from "./consoleTest.ts";

export type Configured = { viewer: string; group: string };

export async function configureOrg({ api, org, user, shown }: ConsoleWorld): Promise<Configured> {
  const { sql } = api.database;
  await sql`update users set is_super_admin = true where id = ${user}`;
  const { user: viewer } = await api.makeUser({ orgs: [org] });
  await sql`insert into role_assignments (org_id, role_id, user_id)
    select ${org}, id, ${viewer} from roles where org_id is null and name = 'viewer'`;
  const { id: group } = shown.org;
  await sql`update runner_groups set labels = '{"region": "eu", "arch": "arm64"}', runner_version = '0.2.0' where id = ${group}`;
  return { viewer, group };
}
