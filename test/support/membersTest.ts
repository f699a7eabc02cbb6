/** Organizations, their members and invitations over HTTP: what those tests begin with. */
import { type Arrival, acceptInvitations } from "../../src/people/members/acceptInvitations.ts";
import type { Answer, Caller, Grant } from "./peopleApi.ts";
import { peopleTest } from "./test.ts";

export const GONE = "01a1f77a-0000-7000-8000-00000000dead";

export const fields = (answer: Answer) => answer.body.errors?.map((error: { field: string }) => error.field);

export const test = peopleTest()
  .extend("orgWith", { scope: "file" }, ({ api }) => async (seats: number): Promise<string> => {
    const id = await api.makeOrg();
    await api.database.sql`update organizations set max_users = ${seats} where id = ${id}`;
    return id;
  })
  .extend("org", { scope: "file" }, ({ orgWith }) => orgWith(100))
  .extend("admin", { scope: "file" }, async ({ api, org }) => (await api.makeAccount(org, [["*", "*"]])).token)
  /** Who adds people at once; others ask them first. */
  .extend("root", { scope: "file" }, ({ api }) => api.makeUser({ superAdmin: true }))
  .extend("world", ({ org, api, admin, root }) => {
    const one = (of = org) => `/api/v1/orgs/${of}`;
    const members = (of = org) => `${one(of)}/members`;
    const invitations = (of = org) => `${one(of)}/invitations`;
    const holding = async (grants: Grant[], of = org) => (await api.makeAccount(of, grants)).token;
    const path = (user: string, of = org) => `${members(of)}/${encodeURIComponent(user)}`;
    const add = (user_id: string, who: Caller = root, of = org) =>
      api.call("POST", members(of), { ...who, body: { user_id } });

    async function systemRole(name: string): Promise<string> {
      const [row] = await api.database.sql`select id from roles where org_id is null and name = ${name}`;
      return row?.id;
    }

    async function denials(of: string, source: string): Promise<number> {
      const { values } = await api.metrics.seatDenials.get();
      return values.find(({ labels }) => labels.org === of && labels.source === source)?.value ?? 0;
    }
    const ids = async (who: Caller, query = "") => {
      const { status, body } = await api.call("GET", `/api/v1/orgs${query}`, who);
      return status === 200 ? body.items.map((item: { id: string }) => item.id) : status;
    };
    const patch = (body: object, who: Caller = { token: admin }, of = org) =>
      api.call("PATCH", one(of), { ...who, body });
    const invite = (body: object, token = admin, of = org) => api.call("POST", invitations(of), { token, body });
    const accept = (arrival: Partial<Arrival> & { userId: string }) =>
      api.database.db.transaction((tx) =>
        acceptInvitations(tx, { providerKey: "codehost", issuer: "https://host", logins: [], ...arrival }),
      );

    return { one, members, invitations, holding, path, add, systemRole, denials, ids, patch, invite, accept };
  });
