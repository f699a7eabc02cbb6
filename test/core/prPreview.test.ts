/**
 * The `prPreview` workflow on a real server: what it publishes, that nothing waits for it, and when it ends
 * (docs/rules/pull-requests.md#publishing).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { previewActivities } from "../../activities/previews.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { syncPullRequests } from "../../src/core/pullRequests/sync.ts";
import { reconcile } from "../../src/orchestration/reconciler/reconcile.ts";
import { TASK_QUEUES } from "../../workflows/contract.ts";
import { openCore, type TestCore } from "../support/core.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { makeOrg, type TestOrg } from "../support/fixtures.ts";
import { historyText } from "../support/histories.ts";
import { accept, poll, rowBecomes } from "../support/lifecycle.ts";
import {
  type PublishedHost,
  previewsOf,
  previewWorkflow,
  publishedHost,
  pullRequest,
  REPOSITORY,
  requestStack,
  type StatedHost,
  sha,
  statedHost,
} from "../support/pullRequests.ts";
import { freshNamespace, type TestTemporal } from "../support/temporal.ts";
import { waitFor } from "../support/waitFor.ts";

let database: TestDatabase;
let temporal: TestTemporal;
let core: TestCore;
let org: TestOrg;
let host: StatedHost;
let shown: PublishedHost;
beforeAll(async () => {
  [database, temporal] = await Promise.all([freshDatabase(), freshNamespace()]);
  core = openCore(database, temporal);
  await core.startWorker();
  const forwarded = {
    putStatus: (...args: Parameters<PublishedHost["putStatus"]>) => shown.putStatus(...args),
    putComment: (...args: Parameters<PublishedHost["putComment"]>) => shown.putComment(...args),
  };
  const activities = previewActivities({ db: database.db, host: forwarded, publicBaseUrl: undefined });
  await temporal.startWorker({ taskQueue: TASK_QUEUES.scm, activities });
});
afterAll(async () => {
  await core.close();
  await temporal.close();
  await database.close();
});
beforeEach(async () => {
  org = await makeOrg(database);
  host = statedHost();
  shown = publishedHost();
});

const sync = () =>
  syncPullRequests(core.service, host, { orgId: org.orgId, repositoryKey: REPOSITORY, branch: "main" }, null);
const ended = (workflowId: string) =>
  waitFor(() => temporal.client.workflow.getHandle(workflowId).result(), {
    what: `${workflowId} to end`,
    timeoutMs: 45_000,
  });
const states = () => shown.statuses.map(({ state, description }) => `${state}: ${description}`);
const last = (description: string) =>
  waitFor(() => shown.statuses.at(-1)?.description === description, {
    what: `status "${description}"`,
    timeoutMs: 45_000,
  });
const slugOf = async (stackKey: string) =>
  (await database.sql`select slug from stacks where stack_key = ${stackKey}`)[0]?.slug;

const COUNTED = {
  has_changes: true,
  counts: { add: 1, change: 2, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 },
  gaps: [],
};

describe("a pull request on a stack", () => {
  it("has a status and one comment that follow its preview, and a second head's take their place", async () => {
    const stack = await requestStack(database, org.orgId, "network");
    const workflow = previewWorkflow(stack, 1);
    host.set(pullRequest(1));
    await sync();
    await last("A person has to start the plan");
    const [first] = await previewsOf(database, stack);
    await core.decide(first?.id ?? "", "confirmPreview");
    await last("The plan waits for a runner");
    const run = await poll(core, org);
    await accept(core, run);
    await last("Planning");
    await reportDone(core.service, run.runId, run.runnerId, { status: "success", plan_summary: COUNTED });
    await last("Plan: 1 to add, 2 to change");
    host.set(pullRequest(1, { headSha: sha(2) }));
    await sync();
    await last("A person has to start the plan");
    expect(states().filter((state, index, all) => state !== all[index - 1])).toEqual([
      "pending: A person has to start the plan",
      "pending: The plan waits for a runner",
      "pending: Planning",
      "success: Plan: 1 to add, 2 to change",
      "pending: A person has to start the plan",
    ]);
    expect(new Set(shown.statuses.map(({ context }) => context))).toEqual(new Set([`preview/${await slugOf(stack)}`]));
    expect(shown.statuses.at(-1)?.sha).toBe(sha(2));
    await waitFor(() => shown.comments.size === 1 && [...shown.comments.values()][0]?.includes(sha(2).slice(0, 12)), {
      what: "the one comment to tell of the new head",
    });
    host.close(1);
    await sync();
    expect(await ended(workflow)).toEqual({ ended: "closed" });
    const text = await historyText(temporal.client, workflow);
    expect(text).not.toContain("acme");
    expect(text).not.toContain("Request 1");
  });

  it("is left alone once it is closed, though its plan ends later", async () => {
    const stack = await requestStack(database, org.orgId, "network", { pr_plan_mode: "auto" });
    host.set(pullRequest(2));
    await sync();
    const run = await poll(core, org);
    await accept(core, run);
    await last("Planning");
    host.close(2);
    await sync();
    expect(await ended(previewWorkflow(stack, 2))).toEqual({ ended: "closed" });
    const told = shown.statuses.length;
    await reportDone(core.service, run.runId, run.runnerId, { status: "success", plan_summary: COUNTED });
    await rowBecomes(database, (await previewsOf(database, stack))[0]?.id ?? "", "cancelled");
    // The transition's own message has been sent, and found nobody.
    await waitFor(async () => (await database.sql`select 1 from outbox`).length === 0, {
      what: "the outbox to be empty",
    });
    expect(await temporal.client.workflow.getHandle(previewWorkflow(stack, 2)).describe()).toMatchObject({
      status: { name: "COMPLETED" },
    });
    expect(shown.statuses).toHaveLength(told);
    expect(await database.sql`select 1 from pull_requests where org_id = ${org.orgId}`).toEqual([]);
  });

  it("finishes its preview while the host refuses everything; only the publishing is tried again", async () => {
    shown.refuse = true;
    const stack = await requestStack(database, org.orgId, "network", { pr_plan_mode: "auto" });
    host.set(pullRequest(3));
    await sync();
    const run = await poll(core, org);
    await accept(core, run);
    await waitFor(
      async () =>
        ((await core.temporal.state(previewWorkflow(stack, 3))) as { status?: string } | null)?.status === "planning",
      { what: "the workflow to see the plan" },
    );
    expect(
      await reportDone(core.service, run.runId, run.runnerId, { status: "success", plan_summary: COUNTED }),
    ).toEqual({ outcome: "stored" });
    const [preview] = await previewsOf(database, stack);
    await rowBecomes(database, preview?.id ?? "", "finished");
    await waitFor(
      async () =>
        ((await core.temporal.state(previewWorkflow(stack, 3))) as { status?: string } | null)?.status === "finished",
      { what: "the workflow to see the end" },
    );
    expect(shown.statuses).toEqual([]);
    // Whoever looks why nothing is shown finds the reason where the manual sends them.
    const handle = temporal.client.workflow.getHandle(previewWorkflow(stack, 3));
    const metadata = await handle.query<{ currentDetails: string }, []>("__temporal_workflow_metadata");
    expect(metadata.currentDetails).toMatch(/finished, to be published \(the code host did not take it\)$/);
    shown.refuse = false;
    await last("Plan: 1 to add, 2 to change");
    // What was missed meanwhile is not told afterwards.
    expect(states()).toEqual(["success: Plan: 1 to add, 2 to change"]);
    host.close(3);
    await sync();
    await ended(previewWorkflow(stack, 3));
  });

  it("ends at once while it waits to try again, when the pull request is closed", async () => {
    shown.refuse = true;
    const stack = await requestStack(database, org.orgId, "network");
    host.set(pullRequest(4));
    await sync();
    await waitFor(() => shown.refusals > 0, { what: "a try to be refused" });
    host.close(4);
    await sync();
    expect(await ended(previewWorkflow(stack, 4))).toEqual({ ended: "closed" });
    expect(shown.statuses).toEqual([]);
  });

  it("is watched again after its workflow was lost, and left by one whose row is gone", async () => {
    const stack = await requestStack(database, org.orgId, "network");
    const id = previewWorkflow(stack, 5);
    host.set(pullRequest(5));
    await sync();
    await last("A person has to start the plan");
    await temporal.client.workflow.getHandle(id).terminate("lost");
    await waitFor(async () => ((await reconcile(core.service, core.temporal)).started ?? 0) > 0, {
      what: "the workflow to be missed",
    });
    await waitFor(async () => (await core.temporal.describe(id))?.open, { what: "it to be open again" });
    const told = shown.statuses.length;
    await waitFor(
      async () => ((await core.temporal.state(id)) as { unpublished?: boolean } | null)?.unpublished === false,
      { what: "it to have read its row" },
    );
    expect(shown.statuses).toHaveLength(told);
    await database.sql`delete from pull_requests where org_id = ${org.orgId}`;
    await waitFor(
      async () => {
        await reconcile(core.service, core.temporal);
        return !(await core.temporal.describe(id))?.open;
      },
      { what: "the workflow without a row to end", timeoutMs: 45_000, everyMs: 200 },
    );
  });
});
