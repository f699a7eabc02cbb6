/** Pushes to a real repository behind a host that answers as documented: what those tests begin with. */
import { randomUUID } from "node:crypto";
import { addEvents, branchKey } from "../../src/exchange/scm/inbox.ts";
import { processBranch } from "../../src/exchange/scm/processBranch.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { makeOrg, testService } from "./fixtures.ts";
import { hostStack, makeIntegration, POLICY, testHosts } from "./scm.ts";
import { ScriptedHost } from "./scriptedHost.ts";
import { databaseTest } from "./test.ts";

export const test = databaseTest()
  .extend("repository", { scope: "file" }, async ({}, { onCleanup }) => {
    const host = await ScriptedHost.start();
    onCleanup(() => host.stop());
    return { host, first: await host.commit({ "network/main.tf": "1", "app/main.tf": "1", "README.md": "1" }) };
  })
  .extend("hosts", { scope: "file" }, ({}, { onCleanup }) => {
    const hosts = testHosts();
    onCleanup(() => hosts.egress.close());
    return hosts;
  })
  .extend("world", async ({ database, repository, hosts }, { onCleanup }) => {
    const { host, first } = repository;
    const service = testService(database);
    host.requests.length = 0;
    onCleanup(() => {
      host.script = () => undefined;
    });

    /** An organization with an integration; a test may give it another one. */
    async function anew() {
      const { orgId } = await makeOrg(database);
      const now = { integration: await makeIntegration(database, hosts.keyring, orgId, host) };
      const stack = (directory: string, settings: object = {}) =>
        hostStack(database, orgId, host, { working_directory: directory, ...settings });

      async function arrive(before: string | null, after: string, branch = "main"): Promise<void> {
        const event = {
          externalId: randomUUID(),
          kind: "push_branch_changed",
          branch,
          prNumber: null,
          before,
          after,
        } as const;
        const at = { orgId, integrationId: now.integration.id, repositoryKey: host.repositoryKey };
        await unitOfWork(service, (work) => addEvents(work, at, [event]));
      }

      const process = (branch = "main") => {
        const key = branchKey(now.integration.id, host.repositoryKey, branch);
        return processBranch({ service, hosts: hosts.hosts, policy: POLICY }, key);
      };

      async function pushed(before: string | null, after: string, branch = "main") {
        await arrive(before, after, branch);
        return process(branch);
      }

      const events = () => database.sql`
        select status, attempts, last_error from scm_events where integration_id = ${now.integration.id} order by id`;
      const deployments = (stackKey: string) => database.sql`
        select commit_sha, commit_message, commit_author, origin_type, provenance, created_by, mode, status, origin_scm_event_id from deployments
        where stack_key = ${stackKey} order by id`;
      const commits = async (stackKey: string) => (await deployments(stackKey)).map((row) => row.commit_sha);
      const synced = async (stackKey: string) =>
        (
          await database.sql`select data from domain_events where stack_key = ${stackKey} and name = 'stack_synced'`
        ).map((row) => row.data);

      return { now, orgId, stack, arrive, process, pushed, events, deployments, commits, synced };
    }

    return { database, host, first, hosts, service, anew, ...(await anew()) };
  });
