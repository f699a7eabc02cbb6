/**
 * From a run's end to its edges through the outbox, the task's workflow and a worker
 * (docs/rules/workflows.md#background-tasks).
 */
import { expect } from "vitest";
import { taskActivities } from "../../activities/tasks.ts";
import { directDependents } from "../../src/graph/dependencies/edges.ts";
import { KINDS_OF_WORK } from "../../src/main/service/kindsOfWork.ts";
import { analysisFile } from "../support/analysis.ts";
import { BUDGETS, makeStacks } from "../support/dependencies.ts";
import { makeOrg } from "../support/fixtures.ts";
import { finishWithAnalysis, testTaskDeps } from "../support/tasks.ts";
import { coreTest } from "../support/test.ts";
import { waitFor } from "../support/waitFor.ts";

const test = coreTest().extend("deps", { scope: "file" }, async ({ database, core }, { onCleanup }) => {
  const deps = await testTaskDeps(database, core.service);
  onCleanup(() => deps.close());
  return deps;
});

test.beforeAll(async ({ core }) => {
  await core.startWorker();
});

test("a finished deployment's declarations and readings become edges without anybody asking", async ({
  database,
  temporal,
  deps,
}) => {
  const org = await makeOrg(database);
  const { net, app } = await makeStacks(database, org.orgId, ["net", "app"]);
  // The explore database is no part of this; its tasks are left to a worker that knows them.
  const { dependency_graph_reconcile } = KINDS_OF_WORK;
  const kinds = dependency_graph_reconcile === undefined ? {} : { dependency_graph_reconcile };
  const worker = await temporal.startWorker({
    taskQueue: "tasks",
    activities: taskActivities({ deps, kinds, sliceMs: 120_000, sliceEnded: () => {} }),
  });
  const background = await temporal.startWorker({ taskQueue: "notify" });
  const finish = (stackKey: string, file: object) => finishWithAnalysis(deps, database, { ...org, stackKey }, file);
  await finish(net, analysisFile({ resources: [{ address: "aws_vpc.main", identity: "vpc-1" }] }));
  await finish(
    app,
    analysisFile({
      edges: [{ from_stack: "net", trigger: "always" }],
      resources: [{ address: "data.aws_vpc.main", mode: "data", identity: "vpc-1" }],
    }),
  );
  const edges = await waitFor(
    async () => {
      const found = await directDependents(database.db, { orgId: org.orgId, stackKey: net }, BUDGETS);
      return found.length === 2 ? found : undefined;
    },
    { what: "both edges", timeoutMs: 40_000 },
  );
  expect(edges.map(({ dependentSlug, declared, trigger }) => [dependentSlug, declared, trigger])).toEqual([
    ["app", true, "always"],
    ["app", false, "manual"],
  ]);
  await Promise.all([worker.stop(), background.stop()]);
});
