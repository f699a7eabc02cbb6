/** Background tasks and workers that do them: what those tests begin with. */
import { taskActivities } from "../../activities/tasks.ts";
import type { Deadline, KindOfWork, Task } from "../../src/graph/tasks/kinds.ts";
import { runSlice, type TaskRunner } from "../../src/graph/tasks/runSlice.ts";
import { enqueueTask, type TaskRequest } from "../../src/work/tasks/enqueue.ts";
import type { TaskKind } from "../../src/work/tasks/taskKind.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { TASK_QUEUES } from "../../workflows/contract.ts";
import { taskKey, workflowIds } from "../../workflows/ids.ts";
import { makeOrg } from "./fixtures.ts";
import { testTaskDeps } from "./tasks.ts";
import type { TestWorker } from "./temporal.ts";
import { coreTest } from "./test.ts";
import { waitFor } from "./waitFor.ts";

export const KIND: TaskKind = "org_findings_rebuild";

export type Work = (task: Task, deadline: Deadline) => Promise<{ done: true } | { done: false; cursor: unknown }>;
type Choices = Partial<TaskRunner> & { version?: number };

export const test = coreTest()
  .extend("deps", { scope: "file" }, async ({ database, core }, { onCleanup }) => {
    const deps = await testTaskDeps(database, core.service);
    onCleanup(() => deps.close());
    return deps;
  })
  .extend("world", async ({ database, deps, temporal, core }) => {
    const { orgId } = await makeOrg(database);
    const workers: TestWorker[] = [];

    function runner(work: Work, choices: Choices = {}): TaskRunner {
      const { version = 1, ...rest } = choices;
      const kind: KindOfWork = { cursorVersion: version, runSlice: (_deps, task, deadline) => work(task, deadline) };
      const kinds = { [KIND]: kind };
      return { deps, kinds, sliceMs: 120_000, sliceEnded: () => {}, ...rest };
    }

    async function startTasks(work: Work, choices: Choices & { slots?: number } = {}): Promise<TestWorker> {
      const worker = await temporal.startWorker({
        taskQueue: "tasks",
        maxConcurrentActivityTaskExecutions: choices.slots ?? 4,
        activities: taskActivities(runner(work, choices)),
      });
      // Whose tasks are the workflows' own.
      workers.push(worker, await temporal.startWorker({ taskQueue: TASK_QUEUES.notify }));
      return worker;
    }
    const request = (choices: Partial<TaskRequest> = {}) =>
      unitOfWork(core.service, (work) => enqueueTask(work.tx, work.messages, { orgId, kind: KIND, ...choices }));
    const key = (id = orgId) => taskKey({ task: KIND, orgId: id, stackKey: null });
    const slice = (work: Work, choices: Choices = {}) =>
      runSlice(runner(work, choices), key(), new AbortController().signal);
    const row = async (id = orgId) => {
      const [found] = await database.sql`select * from org_tasks where org_id = ${id}`;
      return found as Record<string, unknown>;
    };
    const becomes = (status: string, id = orgId) =>
      waitFor(async () => (await row(id))?.status === status, { what: `the task to be ${status}`, timeoutMs: 45_000 });
    const ended = (id = orgId) =>
      waitFor(async () => (await core.temporal.describe(workflowIds.task(key(id))))?.open === false, {
        what: "the workflow to end",
      });

    /** Until the task's slice waits for a slot, or has one. */
    const inLine = (subjectKey: string) =>
      waitFor(
        async () => {
          const workflow = temporal.client.workflow.getHandle(workflowIds.task(`${KIND}/${subjectKey}`));
          return (await workflow.describe()).raw.pendingActivities?.length === 1;
        },
        { what: "the slice to stand in line", timeoutMs: 45_000 },
      );

    return { startTasks, request, slice, row, becomes, ended, inLine, orgId, workers };
  });
