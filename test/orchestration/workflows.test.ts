/** A deployment with its leases on a real Temporal server and a real database: what happens, and what it costs. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { workflowIds } from "../../workflows/ids.ts";
import { openCore, type TestCore } from "../support/core.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { create, makeOrg, makeStack, statuses, type TestOrg } from "../support/fixtures.ts";
import { historyFigures, historyText, summaries } from "../support/histories.ts";
import { accept, doneApply, donePlan, poll, rowBecomes } from "../support/lifecycle.ts";
import { freshNamespace, type TestTemporal } from "../support/temporal.ts";
import { waitFor } from "../support/waitFor.ts";

const ASSIGNMENT_MS = 4_000;

// With a cache of one, nearly every task replays its workflow from the start: what a cache would hide shows here. (With
// none at all the SDK's core loses local activities: "Tried to complete untracked local activity".)
describe.each([{ maxCachedWorkflows: 500 }, { maxCachedWorkflows: 1 }])(
  "with $maxCachedWorkflows cached workflows",
  (cache) => {
    let database: TestDatabase;
    let temporal: TestTemporal;
    let core: TestCore;
    let org: TestOrg;
    beforeAll(async () => {
      [database, temporal] = await Promise.all([freshDatabase(), freshNamespace()]);
      core = openCore(database, temporal, { assignmentMs: ASSIGNMENT_MS });
      await core.startWorker(cache);
      org = await makeOrg(database);
    });
    afterAll(async () => {
      await core.close();
      await temporal.close();
      await database.close();
    });

    const ended = (workflowId: string) =>
      waitFor(() => temporal.client.workflow.getHandle(workflowId).result(), { what: `${workflowId} to end` });

    /** Until the workflow has had so many tasks and waits, told without a query, which would cost tasks of its own. */
    const waits = (workflowId: string, tasks: number) =>
      waitFor(
        async () => {
          const figures = await historyFigures(temporal.client, workflowId);
          if (figures.tasks !== tasks) throw new Error(JSON.stringify(figures));
          return true;
        },
        { what: `${workflowId}: ${tasks} tasks` },
      );

    const closed = (workflowId: string) =>
      waitFor(async () => (await temporal.client.workflow.getHandle(workflowId).describe()).status.name !== "RUNNING", {
        what: `${workflowId} to be closed`,
      });

    /** The reason for which a workflow that never had a task was ended. */
    const endedAsleep = (workflowId: string) =>
      waitFor(
        async () => {
          const { events } = await temporal.client.workflow.getHandle(workflowId).fetchHistory();
          return events?.at(-1)?.workflowExecutionTerminatedEventAttributes?.reason;
        },
        { what: `${workflowId} to end without a task` },
      );

    it("plans, waits for a person, applies, in three tasks that an operator can read", async () => {
      const deploymentId = await create(core.service, await makeStack(database, org.orgId, { slug: "network-prod" }));
      const deployment = workflowIds.deployment(deploymentId);
      await waits(deployment, 0);
      const plan = await poll(core, org);
      await waits(workflowIds.lease(plan.runId), 0);
      await accept(core, plan);
      await donePlan(core, database, plan);
      await waits(deployment, 1);
      expect(await core.decide(deploymentId, "confirm", { args: { action: "apply" } })).toMatchObject({
        outcome: "answered",
        answer: { outcome: "done" },
      });
      const apply = await poll(core, org);
      await waits(workflowIds.lease(apply.runId), 0);
      await accept(core, apply);
      await doneApply(core, apply);

      expect(await ended(deployment)).toEqual({ ended: "finished" });
      expect(await endedAsleep(workflowIds.lease(plan.runId))).toBe("nothing was due before it ended: success");
      expect(await endedAsleep(workflowIds.lease(apply.runId))).toBe("nothing was due before it ended: success");
      expect((await statuses(database, deploymentId)).deployment).toBe("finished");
      const leases = [workflowIds.lease(plan.runId), workflowIds.lease(apply.runId)];
      const figures = await Promise.all([deployment, ...leases].map((id) => historyFigures(temporal.client, id)));
      expect(figures).toEqual([
        { events: 25, tasks: 3 },
        { events: 3, tasks: 0 },
        { events: 3, tasks: 0 },
      ]);
      expect(await summaries(temporal.client, deployment)).toEqual([
        "plan, origin manual",
        "read the deployment",
        expect.stringMatching(/^plan, stack network-prod: waiting for a person to confirm since 20/),
        "a person's decision: confirm",
        expect.stringMatching(/^plan, stack network-prod: waiting for a person to confirm since 20/),
        expect.stringMatching(/^plan, stack network-prod: waiting for its run since 20/),
        expect.stringMatching(/^plan, stack network-prod: waiting for its run since 20/),
        "read the deployment",
      ]);
      await database.sql`update stacks set slug = 'done' where slug = 'network-prod'`;
    });

    it("costs no task at all when nothing had to be decided", async () => {
      const stackKey = await makeStack(database, org.orgId, { auto_approve_mode: "auto" });
      const deploymentId = await create(core.service, stackKey);
      for (const done of [
        donePlan,
        (c: TestCore, _d: TestDatabase, run: Parameters<typeof doneApply>[1]) => doneApply(c, run),
      ]) {
        const run = await poll(core, org);
        await accept(core, run);
        await done(core, database, run);
        expect(await endedAsleep(workflowIds.lease(run.runId))).toBe("nothing was due before it ended: success");
      }
      expect(await endedAsleep(workflowIds.deployment(deploymentId))).toBe("nothing was due before it ended: finished");
    });

    it("is found by each of its search attributes, with its leases", async () => {
      const stackKey = await makeStack(database, org.orgId);
      const deploymentId = await create(core.service, stackKey);
      const { runId } = await poll(core, org);
      const expected = [workflowIds.deployment(deploymentId), workflowIds.lease(runId)].sort();
      for (const query of [
        `DeploymentId = "${deploymentId}"`,
        `StackKey = "${stackKey}" and OrgId = "${org.orgId}" and \`Mode\` = "plan" and Origin = "manual"`,
      ]) {
        await waitFor(
          async () => {
            const found: string[] = [];
            for await (const { workflowId } of temporal.client.workflow.list({ query })) found.push(workflowId);
            return found.sort().join() === expected.join();
          },
          { what: `both by ${query}` },
        );
      }
      expect(await core.decide(deploymentId, "cancel")).toMatchObject({ outcome: "answered" });
    });

    it("costs one more task for a run that outlives the assignment timeout", async () => {
      const deploymentId = await create(core.service, await makeStack(database, org.orgId));
      const plan = await poll(core, org);
      await waits(workflowIds.lease(plan.runId), 0);
      await accept(core, plan);
      await waits(workflowIds.lease(plan.runId), 1);
      await donePlan(core, database, plan);
      expect(await ended(workflowIds.lease(plan.runId))).toEqual({ ended: "success" });
      expect((await historyFigures(temporal.client, workflowIds.lease(plan.runId))).tasks).toBe(2);
      expect(await core.decide(deploymentId, "skip")).toMatchObject({ answer: { outcome: "done" } });
      expect(await ended(workflowIds.deployment(deploymentId))).toEqual({ ended: "skipped" });
      expect((await historyFigures(temporal.client, workflowIds.deployment(deploymentId))).tasks).toBe(2);
    });

    it("costs no task for a wait in the queue", async () => {
      const stackKey = await makeStack(database, org.orgId);
      const first = await create(core.service, stackKey);
      const second = await create(core.service, stackKey);
      await waits(workflowIds.deployment(second), 0);
      expect(await core.decide(first, "cancel")).toMatchObject({ answer: { outcome: "done" } });
      await rowBecomes(database, second, "pending");
      // Promoted: written into its history, and read when it wakes.
      await waitFor(async () => (await historyFigures(temporal.client, workflowIds.deployment(second))).events === 2, {
        what: "the promotion in its history",
      });
      await waits(workflowIds.deployment(second), 0);
      expect(await core.decide(second, "cancel")).toMatchObject({ answer: { outcome: "done" } });
      expect((await historyFigures(temporal.client, workflowIds.deployment(second))).tasks).toBe(1);
    });

    it("gives the run back when its lease lapses, and watches the next claim", async () => {
      const deploymentId = await create(core.service, await makeStack(database, org.orgId));
      const { runId } = await poll(core, org);
      expect(await ended(workflowIds.lease(runId))).toEqual({ ended: "pending" });
      // It slept until its deadline and acted at once: a timer of a moment may come a second late.
      const { events } = await temporal.client.workflow.getHandle(workflowIds.lease(runId)).fetchHistory();
      expect(events?.filter((event) => event.timerStartedEventAttributes)).toEqual([]);
      expect((await historyFigures(temporal.client, workflowIds.lease(runId))).tasks).toBe(1);
      const [run] = await database.sql`select status, assignment_attempts from runs where id = ${runId}`;
      expect(run).toEqual({ status: "pending", assignment_attempts: 1 });
      const again = await poll(core, org);
      expect(again.runId).toBe(runId);
      await accept(core, again);
      expect(await core.decide(deploymentId, "cancel")).toMatchObject({ answer: { outcome: "done" } });
      await rowBecomes(database, deploymentId, "requested_cancellation");
      await doneApply(core, again);
      await closed(workflowIds.lease(runId));
      expect(await ended(workflowIds.deployment(deploymentId))).toEqual({ ended: "cancelled" });
    });

    it("holds no address, no principal and no commit in its histories", async () => {
      const deploymentId = await create(
        core.service,
        await makeStack(database, org.orgId, { repository_url: "https://canary-7c1@git.example/r.git" }),
        {
          targets: ["canary_resource.one"],
          commitMessage: "canary message",
          actor: { id: "codehost:ann@canary.example:7", kind: "user" },
        },
      );
      const { runId } = await poll(core, org);
      await core.decide(deploymentId, "cancel");
      for (const id of [workflowIds.deployment(deploymentId), workflowIds.lease(runId)]) {
        await closed(id);
        expect(await historyText(temporal.client, id)).not.toMatch(/canary/);
      }
    });
  },
);
