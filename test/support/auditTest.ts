/** The audit trail: what its tests begin with. */
import { expect } from "vitest";
import type { Answer, Grant } from "./peopleApi.ts";
import { peopleTest } from "./test.ts";

export type Entry = {
  id: string;
  actor_id: string;
  actor_kind: string;
  action: string;
  resource_type: string;
  resource_id: string;
  occurred_at: string;
  details: Record<string, unknown>;
};

export const test = peopleTest()
  .extend("org", { scope: "file" }, ({ api }) => api.makeOrg())
  .extend("holding", { scope: "file" }, ({ org, api }) => async (grants: Grant[], of = org) => {
    return (await api.makeAccount(of, grants)).token;
  })
  .extend("world", { scope: "file" }, async ({ api, org }) => {
    const admin = await api.makeAccount(org, [["*", "*"]]);
    const base = (of = org) => `/api/v1/orgs/${of}`;
    const read = async (query = "", of = org, token = admin.token): Promise<Entry[]> => {
      const answer = await api.call("GET", `${base(of)}/audit-log?limit=200${query}`, { token });
      expect(answer.status).toBe(200);
      return answer.body.items;
    };

    /** Call and give the answer back with the entries it left. */
    async function tracked(method: string, path: string, body?: object): Promise<{ answer: Answer; left: Entry[] }> {
      const before = new Set((await read()).map(({ id }) => id));
      const answer = await api.call(method, `${base()}${path}`, { token: admin.token, ...(body ? { body } : {}) });
      return { answer, left: (await read()).filter(({ id }) => !before.has(id)) };
    }

    return { base, read, tracked, admin };
  });
