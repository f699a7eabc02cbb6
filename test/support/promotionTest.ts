/** Pull requests with previews, and a host that knows their history: what those tests begin with. */
import { sql } from "drizzle-orm";
import { expect } from "vitest";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import type { CommitHost } from "../../src/core/pullRequests/host.ts";
import { syncPullRequests } from "../../src/core/pullRequests/sync.ts";
import { claim, makeOrg } from "./fixtures.ts";
import type { Grant } from "./peopleApi.ts";
import { previewsOf, pullRequest, REPOSITORY, requestStack, statedHost } from "./pullRequests.ts";
import { peopleTest } from "./test.ts";

/** What the host says is in the history of what: `descendant contains ancestor`. */
export const held = new Set<string>();
const commits: CommitHost = {
  contains: async (_repository, descendant, ancestor) => held.has(`${descendant} ${ancestor}`),
};
/** Inserts the row as a delivery's would be; the integration's own lookup is not this test's. */
export const inbox: { integration: string | null } = { integration: null };

export const settings = { name: "host", url_pattern: "^https://git\\.example/acme/" };
export const test = peopleTest({
  pullRequests: {
    host: commits,
    inbox: async ({ tx }, stack) => {
      if (inbox.integration === null) return null;
      const [row] = await tx.execute<{ id: string }>(sql`
          insert into scm_events (org_id, integration_id, external_event_id, kind, repository_key, branch)
          values (${stack.orgId}, ${inbox.integration}, gen_random_uuid()::text, 'pr_refresh_requested', ${stack.repositoryKey}, ${stack.branch})
          returning id`);
      return row?.id ?? null;
    },
  },
}).extend("world", async ({ api }) => {
  held.clear();
  inbox.integration = null;
  const host = statedHost();
  const { orgId, groupId } = await makeOrg(api.database);
  const account = (grants: Grant[]) => api.makeAccount(orgId, grants);
  const { token } = await account([
    ["stack", "read"],
    ["stack", "deploy"],
    ["stack", "preview"],
  ]);
  const sync = () => syncPullRequests(api.service, host, { orgId, repositoryKey: REPOSITORY, branch: "main" }, null);

  async function stackOf(directory: string, settings: object = {}): Promise<{ key: string; path: string }> {
    const key = await requestStack(api.database, orgId, directory, { pr_plan_mode: "auto", ...settings });
    const [row] = await api.database.sql`select slug from stacks where stack_key = ${key}`;
    return { key, path: `/api/v1/orgs/${orgId}/stacks/${row?.slug}/pull-requests` };
  }

  async function accepted(deploymentId: string): Promise<() => Promise<unknown>> {
    const { runId, runnerId } = await claim(api.database, { orgId, groupId }, deploymentId);
    await acceptRun(api.service, runId, runnerId);
    const plan_summary = { has_changes: false, counts: null, gaps: [] };
    return () => reportDone(api.service, runId, runnerId, { status: "success", plan_summary });
  }

  /** Run the newest preview of the stack to its end. */
  async function finishPreview(key: string): Promise<string> {
    const id = (await previewsOf(api.database, key)).at(-1)?.id ?? "";
    await (await accepted(id))();
    return id;
  }
  const promoted = (key: string) => api.database.sql`
    select id, commit_sha, origin_head_sha, origin_pr_number, created_by, mode from deployments
    where stack_key = ${key} and origin_type = 'promoted_pull_request' order by created_at`;
  const retry = (path: string, id: string) =>
    api.call("POST", `${path.replace("pull-requests", "deployments")}/${id}/retry`, { token });

  /** Retries of a commit deployed a moment ago are refused for that alone. */
  const later = () => api.database.advanceClock(6_000);
  const change = async (path: string, body: object) => {
    const { token: owner } = await account([["stack", "*"]]);
    const answer = await api.call("PATCH", path.replace("/pull-requests", ""), { token: owner, body });
    expect(answer.status).toBe(200);
  };
  const INTEGRATIONS = () => `/api/v1/orgs/${orgId}/scm-integrations`;
  const served = async () => {
    const { token: owner } = await account([["scm_integration", "*"]]);
    const call = (method: string, id = "", body?: object) =>
      api.call(method, `${INTEGRATIONS()}${id && `/${id}`}`, { token: owner, ...(body && { body }) });
    const made = await call("POST", "", settings);
    expect(made.status).toBe(201);
    const stack = await stackOf("network");
    host.set(pullRequest(1));
    host.set(pullRequest(2));
    await sync();
    await (await accepted((await previewsOf(api.database, stack.key))[0]?.id ?? ""))();
    api.service.sent.length = 0;
    return { ...stack, call, id: made.body.id as string };
  };

  return {
    account,
    orgId,
    sync,
    stackOf,
    accepted,
    finishPreview,
    promoted,
    retry,
    later,
    change,
    served,
    host,
    token,
  };
});
