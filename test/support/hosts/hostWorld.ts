/** An organization with an integration to one code host, and what a case of the conformance suite does there. */
import { syncPullRequests } from "../../../src/core/pullRequests/sync.ts";
import { commitHost, publishingHost, pullRequestHost } from "../../../src/exchange/scm/host/ports.ts";
import { branchKey } from "../../../src/exchange/scm/inbox.ts";
import { processBranch } from "../../../src/exchange/scm/processBranch.ts";
import { cloneCredentials } from "../../../src/exchange/scm/source.ts";
import { makeOrg } from "../fixtures.ts";
import type { PeopleApi } from "../peopleApi.ts";
import { previewsOf, requestsOf } from "../pullRequests.ts";
import { hostStack, makeIntegration, POLICY, type TestHosts } from "../scm.ts";
import type { Delivered, ScriptedPull } from "../scriptedHost.ts";
import type { CodeHost } from "./codeHost.ts";

export type HostWorld = Awaited<ReturnType<typeof hostWorld>>;

export async function hostWorld(api: PeopleApi, { hosts, keyring }: TestHosts, host: CodeHost, first: string) {
  const { database, service } = api;
  const { orgId } = await makeOrg(database);
  const integration = await makeIntegration(database, keyring, orgId, host);
  const at = { orgId, repositoryKey: host.repositoryKey };
  const path = `/api/v1/orgs/${orgId}/scm-integrations/${integration.id}`;
  const { token } = await api.makeAccount(orgId, [
    ["stack", "*"],
    ["scm_integration", "*"],
  ]);

  const deliver = ({ body, headers }: Delivered) => api.call("POST", `${path}/webhook`, { body, headers });
  const process = (branch = "main") =>
    processBranch({ service, hosts, policy: POLICY }, branchKey(integration.id, host.repositoryKey, branch));
  const events = async () => [
    ...(await database.sql`
      select external_event_id, kind, branch, pr_number, after_sha, status, attempts, last_error, due_at > svc_now() + interval '20 seconds' as late
      from scm_events where integration_id = ${integration.id} order by id`),
  ];

  return {
    api,
    host,
    first,
    orgId,
    integration,
    token,
    path,
    deliver,
    process,
    events,
    stack: (directory: string, settings: object = {}) =>
      hostStack(database, orgId, host, { working_directory: directory, ...settings }),
    /** Deliver, and work on what arrived about the branch. */
    async arrives(delivered: Delivered, branch = "main"): Promise<void> {
      const { status, text } = await deliver(delivered);
      if (status !== 202) throw new Error(`${status} ${text}`);
      await process(branch);
    },
    /** Let what waits for another try be due. */
    again: () => database.sql`update scm_events set due_at = svc_now() where integration_id = ${integration.id}`,
    commits: async (stackKey: string) =>
      (await database.sql`select commit_sha from deployments where stack_key = ${stackKey} order by id`).map(
        (row) => row.commit_sha as string,
      ),
    previews: (stackKey: string) => previewsOf(database, stackKey),
    requests: (stackKey: string) => requestsOf(database, stackKey),
    pull: (number: number, paths: string[], more: Partial<ScriptedPull> = {}) =>
      host.state.setPull({
        number,
        base: "main",
        head: `f${number}`,
        sha: first,
        files: paths.map((filename) => ({ filename })),
        ...more,
      }),
    /** What the host says of its open requests, conditions too. */
    open: async (branch = "main") => pullRequestHost(database.db, hosts, integration).openPullRequests(at, branch),
    sync: (branch = "main") =>
      syncPullRequests(service, pullRequestHost(database.db, hosts, integration), { ...at, branch }, null),
    /** The repository at its host, as the product asks it. */
    ask: <T>(work: Parameters<typeof hosts.asking<T>>[2]) => hosts.asking(integration, host.repositoryKey, work),
    standing: (commit: string, stackCommit: string) => commitHost(database.db, hosts).standing(at, commit, stackCommit),
    publish: publishingHost(database.db, hosts),
    at,
    clone: (isForeign = false, repositoryUrl = host.repositoryUrl) =>
      cloneCredentials(database.db, hosts, { orgId, repositoryUrl, isForeign }),
    test: (body: object = { repository_url: host.repositoryUrl }) => api.call("POST", `${path}/test`, { token, body }),
    integrationNow: async () => (await api.call("GET", path, { token })).body,
  };
}

/** What a case needs of the host, and where one cannot do it: why. */
export type Case = {
  name: string;
  run: (world: HostWorld) => Promise<void>;
  not?: Partial<Record<CodeHost["kind"], string>>;
};
