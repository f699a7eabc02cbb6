/** Runs that end with an analysis as the runner writes it, and the tasks that bring the dependency graph up to it. */
import type { Budgets } from "../../src/graph/analysis/budgets.ts";
import { runSlice } from "../../src/graph/tasks/runSlice.ts";
import { KINDS_OF_WORK } from "../../src/main/service/kindsOfWork.ts";
import { taskKey } from "../../workflows/ids.ts";
import type { TestDatabase } from "./database.ts";
import { BUDGETS } from "./dependencies.ts";
import { type TestOrg, testService } from "./fixtures.ts";
import { type Analysis, finishWithAnalysis, testTaskDeps, workOff } from "./tasks.ts";

export type ResourceSeed = {
  address: string;
  mode?: "managed" | "data";
  realm?: string | null;
  identity: string | null;
  ignore?: boolean;
};
export type DeclaredSeed = {
  from_stack: string;
  from_resource?: string;
  resource?: string;
  trigger?: string;
  file?: string;
  line?: number;
};
type Sections = { edges?: DeclaredSeed[] | null; resources?: ResourceSeed[] | null; complete?: boolean };

/** A section that is not given is absent. */
export function analysisFile({ edges, resources, complete = true }: Sections = {}): object {
  const items = resources?.map((item) => ({ mode: "managed", type: "aws_vpc", realm: "aws", ignore: false, ...item }));
  return {
    version: 1,
    ...(edges === undefined ? {} : { dependencies: edges && { edges, errors: [] } }),
    ...(resources === undefined ? {} : { resources: resources && { complete, items } }),
  };
}

export type AnalysisWorld = Awaited<ReturnType<typeof openAnalysisWorld>>;

export async function openAnalysisWorld(database: TestDatabase) {
  const service = testService(database);
  const measured: string[] = [];
  const opened = await testTaskDeps(database, service);
  const deps = { ...opened, measureGraph: async (orgId: string) => void measured.push(orgId) };
  return {
    service,
    /** Organizations whose graph was said to be another. */
    measured,
    /** A plan without changes, which finishes its deployment. */
    finish: (org: TestOrg, stackKey: string, analysis: Analysis, input = {}) =>
      finishWithAnalysis(deps, database, { ...org, stackKey }, analysis, input),
    /** The stack's task, to its end. */
    reconcile: (orgId: string, stackKey: string, budgets: Partial<Budgets> = {}) =>
      workOff(
        { ...deps, budgets: { ...BUDGETS, ...budgets } },
        { kind: "dependency_graph_reconcile", orgId, stackKey },
        { ended: fail },
      ),
    /** One slice of the organization's task. */
    rebuild: (orgId: string, sliceMs: number) =>
      runSlice(
        { deps, kinds: KINDS_OF_WORK, sliceMs, sliceEnded: fail },
        taskKey({ task: "dependency_graph_rebuild", orgId, stackKey: null }),
        new AbortController().signal,
      ),
    close: opened.close,
  };
}

function fail(_task: object, _outcome: string, _seconds: number, error?: unknown): void {
  if (error !== undefined) throw error;
}
