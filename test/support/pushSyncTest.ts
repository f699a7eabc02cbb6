/** Pushes at a scripted host, and stacks that follow them: what those tests begin with. */
import { randomUUID } from "node:crypto";
import { addEvents, branchKey } from "../../src/exchange/scm/inbox.ts";
import { processBranch } from "../../src/exchange/scm/processBranch.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { makeOrg, testService } from "./fixtures.ts";
import { hostStack, makeIntegration, POLICY, testHosts } from "./scm.ts";
import { ScriptedHost } from "./scriptedHost.ts";
import { databaseTest } from "./test.ts";

export const test = databaseTest()
  .extend("host", { scope: "file" }, async ({}, { onCleanup }) => {
    const host = await ScriptedHost.start();
    onCleanup(() => host.stop());
    return host;
  })
  .extend("hosts", { scope: "file" }, ({}, { onCleanup }) => {
    const hosts = testHosts();
    onCleanup(() => hosts.egress.close());
    return hosts;
  })
  .extend("service", { scope: "file" }, ({ database }) => testService(database))
  /** The repository's first commit. */
  .extend("first", { scope: "file" }, ({ host }) =>
    host.commit({ "network/main.tf": "1", "app/main.tf": "1", "README.md": "1" }),
  )
  .extend("makeWorld", { scope: "file" }, ({ database, hosts, host, first, service }) => async () => {
    const { orgId } = await makeOrg(database);
    const integration = await makeIntegration(database, hosts.keyring, orgId, host);
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
      const at = { orgId, integrationId: integration.id, repositoryKey: host.repositoryKey };
      await unitOfWork(service, (work) => addEvents(work, at, [event]));
    }
    const process = (branch = "main") => {
      const key = branchKey(integration.id, host.repositoryKey, branch);
      return processBranch({ service, hosts: hosts.hosts, policy: POLICY }, key);
    };

    async function pushed(before: string | null, after: string, branch = "main") {
      await arrive(before, after, branch);
      return process(branch);
    }
    const events = () => database.sql`
      select status, attempts, last_error from scm_events where integration_id = ${integration.id} order by id`;
    const deployments = (stackKey: string) => database.sql`
      select commit_sha, commit_message, commit_author, origin_type, created_by, mode, status, origin_scm_event_id from deployments
      where stack_key = ${stackKey} order by id`;
    const commits = async (stackKey: string) => (await deployments(stackKey)).map((row) => row.commit_sha);
    const synced = async (stackKey: string) =>
      (await database.sql`select data from domain_events where stack_key = ${stackKey} and name = 'stack_synced'`).map(
        (row) => row.data,
      );

    return { first, stack, arrive, process, pushed, events, deployments, commits, synced, orgId, integration };
  })
  .extend("world", ({ makeWorld }) => makeWorld());
