/** The token of a service account that may do everything to an organization's states. */
import { mintToken } from "../../src/people/serviceAccounts/tokens.ts";
import type { TestDatabase } from "./database.ts";

export async function stateAccount({ sql, db }: TestDatabase, orgId: string): Promise<string> {
  const [role] = await sql`insert into roles (org_id, name) values (${orgId}, 'states') returning id`;
  for (const action of ["read_state", "write_state"])
    await sql`insert into role_permissions (role_id, resource_type, action) values (${role?.id}, 'stack', ${action})`;
  const [account] = await sql`insert into service_accounts (org_id, name) values (${orgId}, 'states') returning id`;
  await sql`insert into role_assignments (org_id, role_id, service_account_id) values (${orgId}, ${role?.id}, ${account?.id})`;
  return (await mintToken(db, account?.id, { name: "t", lifetime: 86_400_000, createdBy: null })).token;
}
