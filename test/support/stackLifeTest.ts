/** A stack's life over HTTP: what those tests begin with. */
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { claim, create, makeOrg, makeStack } from "./fixtures.ts";
import { peopleTest } from "./test.ts";

export const test = peopleTest().extend("world", { scope: "file" }, async ({ api }) => {
  const org = await makeOrg(api.database);
  const token = (await api.makeAccount(org.orgId, [["stack", "*"]])).token;

  async function newStack(settings: Record<string, unknown> = {}) {
    const key = await makeStack(api.database, org.orgId, settings);
    const [row] = await api.database.sql`select slug from stacks where stack_key = ${key}`;
    return { key, path: `/api/v1/orgs/${org.orgId}/stacks/${row?.slug}` };
  }
  const call = (method: string, path: string, body?: unknown) =>
    api.call(method, path, { token, ...(body === undefined ? {} : { body }) });

  async function running(key: string) {
    const id = await create(api.service, key);
    const { runId, runnerId } = await claim(api.database, org, id);
    await acceptRun(api.service, runId, runnerId);
    return { id, runId, runnerId };
  }
  const retry = (path: string, id: string, headers?: Record<string, string>) =>
    api.call("POST", `${path}/deployments/${id}/retry`, { token, ...(headers ? { headers } : {}) });

  /** As if the deployment were old enough not to be a slip of the finger. */
  const age = (id: string) =>
    api.database.sql`update deployments set created_at = created_at - interval '6 seconds' where id = ${id}`;

  return { newStack, call, running, retry, age, org, token };
});
