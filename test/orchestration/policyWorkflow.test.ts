/** Policies in a deployment's life: evaluated by its workflow, which goes on deciding meanwhile. */
import { expect } from "vitest";
import { policyActivities } from "../../activities/policies.ts";
import { TASK_QUEUES } from "../../workflows/contract.ts";
import { create, makeOrg, makeStack } from "../support/fixtures.ts";
import { deploymentSees } from "../support/lifecycle.ts";
import { change, policyWorld } from "../support/policyTest.ts";
import type { TestWorker } from "../support/temporal.ts";
import { coreTest } from "../support/test.ts";
import { waitFor } from "../support/waitFor.ts";

const test = coreTest().extend("world", async ({ database, core, temporal }, { onCleanup }) => {
  const org = await makeOrg(database);
  const policies = policyWorld(database, core.service, org);
  const workers: TestWorker[] = [await core.startWorker()];
  onCleanup(async () => {
    for (const worker of workers) await worker.stop();
  });
  return {
    ...policies,
    async startEvaluating() {
      const activities = policyActivities({ service: core.service, objects: policies.objects });
      workers.push(await temporal.startWorker({ taskQueue: TASK_QUEUES.tasks, activities }));
    },
    async deployment(settings: Record<string, unknown> = {}) {
      return create(core.service, await makeStack(database, org.orgId, settings));
    },
    becomes: (id: string, status: string) =>
      waitFor(async () => (await policies.status(id)) === status, { what: `the deployment to be ${status}` }),
  };
});

test("decisions are taken while nobody evaluates; then a denial is kept and a plan that passes is applied", async ({
  world,
  core,
}) => {
  await world.policy();
  const skipped = await world.deployment();
  await world.plan(skipped);
  await deploymentSees(core, skipped, "waiting");
  expect((await core.decide(skipped, "confirm", { args: { action: "apply" } })).answer).toMatchObject({
    code: "policy_pending",
  });
  expect((await core.decide(skipped, "skip")).answer).toMatchObject({ outcome: "done" });

  await world.startEvaluating();
  const denied = await world.deployment();
  await world.plan(denied);
  await waitFor(async () => (await world.gates(denied))[0]?.code === "policy_denied", { what: "the denial" });
  expect((await core.decide(denied, "confirm", { args: { action: "apply" } })).answer).toMatchObject({
    code: "policy_denied",
  });

  const applied = await world.deployment({ auto_approve_mode: "auto" });
  await world.plan(applied, [change("vm", "add")]);
  await world.becomes(applied, "applying");
});
