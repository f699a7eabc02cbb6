/**
 * What arrives about a branch is worked through by one durable workflow: tried again, given up, healed
 * (docs/rules/source-control.md#the-inbox).
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { previewActivities } from "../../activities/previews.ts";
import { scmEventActivities } from "../../activities/scmEvents.ts";
import { retryEvent } from "../../src/exchange/scm/events.ts";
import { publishingHost } from "../../src/exchange/scm/host/ports.ts";
import { addEvents, branchKey, type NewEvent } from "../../src/exchange/scm/inbox.ts";
import type { IntegrationRow } from "../../src/exchange/scm/schema.ts";
import { reconcile } from "../../src/orchestration/reconciler/reconcile.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { workflowIds } from "../../workflows/ids.ts";
import { openCore, type TestCore } from "../support/core.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { ACTOR, makeOrg } from "../support/fixtures.ts";
import { historyText } from "../support/histories.ts";
import { hostStack, makeIntegration, type TestHosts, testHosts } from "../support/scm.ts";
import { ScriptedHost } from "../support/scriptedHost.ts";
import { freshNamespace, type TestTemporal } from "../support/temporal.ts";
import { waitFor } from "../support/waitFor.ts";

let database: TestDatabase;
let temporal: TestTemporal;
let host: ScriptedHost;
let hosts: TestHosts;
let core: TestCore;
let orgId: string;
let integration: IntegrationRow;
let first: string;

beforeAll(async () => {
  [database, temporal, host] = await Promise.all([freshDatabase(), freshNamespace(), ScriptedHost.start()]);
  hosts = testHosts();
  core = openCore(database, temporal);
  await core.startWorker();
  await temporal.startWorker({
    taskQueue: "scm",
    activities: {
      ...scmEventActivities({
        service: core.service,
        hosts: hosts.hosts,
        policy: { maxAttempts: 3, firstPauseMs: 200 },
      }),
      ...previewActivities({
        db: database.db,
        host: publishingHost(database.db, hosts.hosts),
        publicBaseUrl: "https://deploy.example",
      }),
    },
  });
  first = await host.commit({ "network/main.tf": "1" });
});
afterAll(async () => {
  await core.close();
  await temporal.close();
  await hosts.egress.close();
  await Promise.all([host.stop(), database.close()]);
});
beforeEach(async () => {
  ({ orgId } = await makeOrg(database));
  integration = await makeIntegration(database, hosts.keyring, orgId, host);
  host.script = () => undefined;
  host.pulls.clear();
});

const stack = (settings: object = {}) =>
  hostStack(database, orgId, host, { working_directory: "network", ...settings });

async function arrive(event: Partial<NewEvent>): Promise<string> {
  const whole = {
    externalId: randomUUID(),
    kind: "push_branch_changed",
    branch: "main",
    prNumber: null,
    before: first,
    after: first,
    ...event,
  } as const;
  const at = { orgId, integrationId: integration.id, repositoryKey: host.repositoryKey };
  const [id] = await unitOfWork(core.service, (work) => addEvents(work, at, [whole as NewEvent]));
  return id as string;
}

const workflowId = () => workflowIds.scmEvent(branchKey(integration.id, host.repositoryKey, "main"));
const eventBecomes = (id: string, status: string) =>
  waitFor(
    async () => (await database.sql`select 1 from scm_events where id = ${id} and status = ${status}`).length === 1,
    {
      what: `event ${id} to be ${status}`,
      timeoutMs: 45_000,
    },
  );
const ended = () =>
  waitFor(async () => (await core.temporal.describe(workflowId()))?.open === false, { what: "the workflow to end" });

it("a push is deployed, the workflow ends, and its history holds no name", async () => {
  const stackKey = await stack();
  const after = await host.commit({ "network/main.tf": randomUUID() });
  await eventBecomes(await arrive({ before: first, after }), "processed");
  const made = await database.sql`select commit_sha, status from deployments where stack_key = ${stackKey}`;
  expect(made).toEqual([{ commit_sha: after, status: "pending" }]);
  await ended();
  expect(await historyText(temporal.client, workflowId())).not.toMatch(/acme|infra|main|ghp_|Author/);
});

it("a host that is down is asked again until the event is dead; tried again by hand it succeeds", async () => {
  const stackKey = await stack();
  const after = await host.commit({ "network/main.tf": randomUUID() });
  host.script = ({ path }) => (path.includes("/branches/") ? { status: 502 } : undefined);
  const id = await arrive({ after });
  await eventBecomes(id, "dead");
  await ended();
  const told = () => database.sql`select 1 from domain_events where org_id = ${orgId} and name = 'scm_sync_failed'`;
  expect(await told()).toHaveLength(1);
  host.script = () => undefined;
  expect(await retryEvent(core.service, ACTOR, id)).toBe(true);
  await eventBecomes(id, "processed");
  expect(await database.sql`select commit_sha from deployments where stack_key = ${stackKey}`).toEqual([
    { commit_sha: after },
  ]);
  expect(await told()).toHaveLength(1);
  expect(await retryEvent(core.service, ACTOR, id)).toBe(false);
});

it("what has no workflow, because its message was lost, is healed by the reconciler", async () => {
  await stack();
  const id = randomUUID();
  await database.sql`
    insert into scm_events (id, org_id, integration_id, external_event_id, kind, repository_key, branch, branch_key, after_sha)
    values (${id}, ${orgId}, ${integration.id}, ${id}, 'push_branch_changed', ${host.repositoryKey}, 'main',
      ${branchKey(integration.id, host.repositoryKey, "main")}, ${(await host.head("main")) as string})`;
  const healed: string[] = [];
  await reconcile(core.service, core.temporal, { healed: (workflow, action) => healed.push(`${workflow} ${action}`) });
  expect(healed).toContain("scmEvent started");
  await eventBecomes(id, "processed");
});

it("a pull request becomes a preview, is shown on the host, and goes when it is closed there", async () => {
  const stackKey = await stack({ pr_plan_mode: "auto" });
  const head = await host.commit({ "network/main.tf": randomUUID() }, { branch: "feature" });
  host.setPull({ number: 7, base: "main", head: "feature", sha: head, files: [{ filename: "network/main.tf" }] });
  await eventBecomes(await arrive({ kind: "pr_changed", prNumber: 7, before: null, after: null }), "processed");
  const previews = await database.sql`
    select commit_sha, mode, origin_type, origin_pr_number, origin_scm_event_id is not null as of_event from deployments where stack_key = ${stackKey}`;
  expect(previews).toEqual([
    { commit_sha: head, mode: "plan_unlocked", origin_type: "pull_request", origin_pr_number: 7, of_event: true },
  ]);
  await waitFor(() => host.comments.size === 1 && host.statuses.some(({ sha }) => sha === head), {
    what: "status and comment",
  });
  host.pulls.clear();
  await eventBecomes(await arrive({ kind: "pr_closed", prNumber: 7, before: null, after: null }), "processed");
  expect(await database.sql`select 1 from pull_requests where org_id = ${orgId}`).toEqual([]);
});
