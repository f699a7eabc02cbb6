/** Raw commands over HTTP: what those tests begin with. */
import { insertStacks } from "../../bench/harness/rows.ts";
import { sealCommand, storeCommand } from "../../src/core/deployments/rawCommands/rawCommand.ts";
import { claim, create, makeOrg } from "./fixtures.ts";
import type { Grant } from "./peopleApi.ts";
import { commitFiles } from "./runnerProcess.ts";
import { peopleTest } from "./test.ts";

export const test = peopleTest({ git: { allowProtocol: ["file"], checkHost: async () => {} } }).extend(
  "world",
  { scope: "file" },
  async ({ api }) => {
    const org = await makeOrg(api.database);
    const operator = await api.makeAccount(org.orgId, [
      ["stack", "read"],
      ["stack", "run_command"],
    ]);
    const source = commitFiles({ "main.tf": "# nothing\n" });
    async function makeStack(settings: Record<string, unknown> = {}): Promise<{ slug: string; key: string }> {
      const [stack] = await insertStacks(api.database.sql, org.orgId, 1, { repository_url: source.url, ...settings });
      return { slug: stack!.slug, key: stack!.stack_key };
    }
    const deployments = (slug: string) => `/api/v1/orgs/${org.orgId}/stacks/${slug}/deployments`;
    const run = (slug: string, body: unknown, token = operator.token, headers: Record<string, string> = {}) =>
      api.call("POST", `${deployments(slug)}/run-command`, { token, body, headers });
    const holding = async (...grants: Grant[]) => (await api.makeAccount(org.orgId, grants)).token;
    const count = async (key: string) =>
      Number((await api.database.sql`select count(*) from deployments where stack_key = ${key}`)[0]?.count);
    async function started() {
      const { key } = await makeStack();
      const deploymentId = await create(api.service, key, { mode: "raw" });
      const command = await sealCommand(api.keyring, "true");
      await api.database.db.transaction((tx) => storeCommand(tx, deploymentId, command));
      const next = await create(api.service, key);
      return { deploymentId, next, ...(await claim(api.database, org, deploymentId)) };
    }
    const events = async (id: string) =>
      (
        await api.database
          .sql`select name, run_id, data from domain_events where deployment_id = ${id} order by occurred_at, id`
      ).map(({ name, data }) => [name, data.command_bytes ?? null, data.run_status ?? null]);
    return { makeStack, deployments, run, holding, count, started, events, org, operator, source };
  },
);
