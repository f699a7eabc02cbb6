/** Edges that follow what runs say: what those tests begin with. */
import { enqueueTask } from "../../src/work/tasks/enqueue.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { openAnalysisWorld, type ResourceSeed } from "./analysis.ts";
import { makeStacks } from "./dependencies.ts";
import { test as base } from "./test.ts";

export const manages = (...identities: string[]): ResourceSeed[] =>
  identities.map((identity) => ({ address: `aws_vpc.${identity}`, identity }));
export const reads = (...identities: string[]): ResourceSeed[] =>
  identities.map((identity) => ({ address: `data.aws_vpc.${identity}`, mode: "data", identity }));

export const test = base
  .extend("analysis", { scope: "file" }, async ({ database }, { onCleanup }) => {
    const analysis = await openAnalysisWorld(database);
    onCleanup(() => analysis.close());
    return analysis;
  })
  .extend("world", ({ database, org, analysis }) => {
    const stacks = <S extends string>(...slugs: S[]) => makeStacks(database, org.orgId, slugs);

    /** A run ends with this file and its task runs. */
    const apply = async (stackKey: string, file: object | Buffer | null, budgets = {}) => {
      const finished = await analysis.finish(org, stackKey, file);
      await analysis.reconcile(org.orgId, stackKey, budgets);
      return finished;
    };
    const edgesOf = (stackKey: string) => database.sql`
      select provenance, dependency_stack_slug as slug, dependency_stack_key as on, dependent_address as address,
        dependency_address as parent, trigger, file, line from dependency_edges where dependent_stack_key = ${stackKey}
      order by provenance, dependency_stack_slug, dependent_address collate "C" nulls first, dependency_address collate "C" nulls first`;
    const state = async (stackKey: string) =>
      (await database.sql`select * from dependency_state where stack_key = ${stackKey}`)[0];
    const tasks = () => database.sql`select kind, stack_key, status from org_tasks
      where org_id = ${org.orgId} and kind like 'dependency%' order by id`;
    const request = (kind: "dependency_graph_reconcile" | "dependency_graph_rebuild", stackKey?: string) =>
      unitOfWork(analysis.service, ({ tx, messages }) =>
        enqueueTask(tx, messages, { orgId: org.orgId, kind, ...(stackKey === undefined ? {} : { stackKey }) }),
      );

    return { stacks, apply, edgesOf, state, tasks, request };
  });
