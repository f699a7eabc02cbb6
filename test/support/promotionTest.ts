/**
 * The routes of a stack's pull requests, in front of a host that says what it is told to: what those tests begin with.
 */
import { sql } from "drizzle-orm";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import type { CommitHost } from "../../src/core/pullRequests/host.ts";
import { syncPullRequests } from "../../src/core/pullRequests/sync.ts";
import { claim, makeOrg, type TestOrg } from "./fixtures.ts";
import type { Grant, PeopleApi } from "./peopleApi.ts";
import { previewsOf, REPOSITORY, requestStack, statedHost } from "./pullRequests.ts";
import { peopleTest } from "./test.ts";

const AHEAD: CommitHost["standing"] = async () => ({ relation: "ahead" });

type Codehost = {
  /** What the host says of two commits. */
  standing: CommitHost["standing"];
  /** Inserts the row as a delivery's would be; the integration's own lookup is not these tests'. */
  integration: string | null;
};
const codehost: Codehost = { standing: AHEAD, integration: null };

async function worldOf(api: PeopleApi, { orgId, groupId }: TestOrg) {
  const host = statedHost();
  Object.assign(codehost, { standing: AHEAD, integration: null });
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

  return { api, codehost, host, orgId, token, account, sync, stackOf, accepted, finishPreview, promoted };
}

export type World = Awaited<ReturnType<typeof worldOf>>;

export const test = peopleTest({
  pullRequests: {
    host: { standing: (...asked) => codehost.standing(...asked) },
    inbox: async ({ tx }, stack) => {
      if (codehost.integration === null) return null;
      const [row] = await tx.execute<{ id: string }>(sql`
        insert into scm_events (org_id, integration_id, external_event_id, kind, repository_key, branch)
        values (${stack.orgId}, ${codehost.integration}, gen_random_uuid()::text, 'pr_refresh_requested', ${stack.repositoryKey}, ${stack.branch})
        returning id`);
      return row?.id ?? null;
    },
  },
})
  .extend("group", ({ api }) => makeOrg(api.database))
  .extend("world", ({ api, group }) => worldOf(api, group));
