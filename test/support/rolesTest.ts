/** Roles and assignments over HTTP: what those tests begin with. */
import type { Answer, Grant } from "./peopleApi.ts";
import { peopleTest } from "./test.ts";

export const GONE = "01a1f77a-0000-7000-8000-00000000dead";

export const fields = (answer: Answer) => answer.body.errors?.map((error: { field: string }) => error.field);
export const read = { resource_type: "stack", action: "read" };

let made = 0;

export const test = peopleTest().extend("world", { scope: "file" }, async ({ api }) => {
  const org = await api.makeOrg();
  const admin = (await api.makeAccount(org, [["*", "*"]])).token;
  const roles = (of = org) => `/api/v1/orgs/${of}/roles`;
  const assignments = (of = org) => `/api/v1/orgs/${of}/role-assignments`;
  const holding = async (grants: Grant[], of = org) => (await api.makeAccount(of, grants)).token;
  const create = (permissions: object[], token = admin, name = `role ${++made}`) =>
    api.call("POST", roles(), { token, body: { name, permissions } });
  const systemRole = async (name: string): Promise<string> => {
    const [row] = await api.database.sql`select id from roles where org_id is null and name = ${name}`;
    return row?.id;
  };
  const adminOrg = async () => {
    const of = await api.makeOrg();
    const { user } = await api.makeUser({ orgs: [of] });
    const adminRole = await systemRole("admin");
    const [row] = await api.database.sql`insert into role_assignments (org_id, role_id, user_id)
      values (${of}, ${adminRole}, ${user}) returning id`;
    return { of, user, assignment: row?.id as string, adminRole };
  };

  return { roles, assignments, holding, create, systemRole, adminOrg, org, admin };
});
