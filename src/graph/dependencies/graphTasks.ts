/**
 * The background tasks that keep the graph true: `dependency_graph_reconcile` for one stack after each run that
 * counts, and when it is deleted; `dependency_graph_rebuild` for all of an organization's
 * (docs/rules/workflows.md#background-tasks). Both only bring rows to what the newest analyses say, so that they may
 * be repeated, cut off anywhere and run beside each other.
 */
import { sql } from "drizzle-orm";
import * as v from "valibot";
import type { stacks } from "../../core/stacks/schema.ts";
import type { Db } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { requestTask } from "../../work/tasks/requestTask.ts";
import { inferStale } from "../analysis/inferEdges.ts";
import type { AnalysisRows } from "../analysis/threadJobs.ts";
import type { Deadline, KindOfWork, SliceResult, Task, TaskDeps } from "../tasks/kinds.ts";
import { newestAnalysisRun, readAnalysisOf } from "./newestAnalysis.ts";
import { purgeStack } from "./purge.ts";
import type { dependencyState } from "./schema.ts";
import { beginRun, endRun, SupersededError, storeAnalysis } from "./storeAnalysis.ts";

/**
 * Bring the stack's rows to what its newest analysis says, or away when it was deleted. @returns whether it is through
 */
async function reconcileStack(
  { service: { db }, objects }: TaskDeps,
  orgId: string,
  stackKey: string,
  stop: () => boolean,
): Promise<boolean> {
  if (!(await isLive(db, orgId, stackKey))) return purgeStack(db, orgId, stackKey, stop);
  const run = await newestAnalysisRun(db, stackKey);
  if (run === null) return true;
  const target = { orgId, stackKey, run };
  try {
    const { known } = await beginRun(db, target);
    const { rows, problem } = await readAnalysisOf(objects, run);
    // Stored while it was there: that it is past its retention now makes nothing unknown.
    if (rows === null && known) return true;
    if (rows !== null) await storeAnalysis(db, target, rows);
    await endRun(db, target, rows, problem ?? problemsIn(rows));
  } catch (error) {
    // What took over has a task of its own.
    if (!(error instanceof SupersededError)) throw error;
  }
  return true;
}

/**
 * Why something is unknown: what is wrong with the file, and of a section that it lacks, that the run did not say it.
 */
function problemsIn(rows: AnalysisRows | null): string | null {
  if (rows === null) return null;
  const sections = { dependencies: rows.declared, resources: rows.identities };
  const unsaid = Object.entries(sections)
    .filter(([name, known]) => known === null && !rows.problems.some((problem) => problem.startsWith(`${name}:`)))
    .map(([name]) => `${name}: the run could not tell them; its log may say why`);
  // An unknown version says all there is to say.
  const said = rows.problems.length > 0 && unsaid.length === 2 ? rows.problems : [...rows.problems, ...unsaid];
  return said.join("; ") || null;
}

async function isLive(db: Db, orgId: string, stackKey: string): Promise<boolean> {
  const rows = await db.execute(sql`
    select 1 from stacks where stack_key = ${stackKey}::uuid and org_id = ${orgId}::uuid and deleted_at is null`);
  return rows.length > 0;
}

export const dependencyGraphReconcile: KindOfWork = {
  cursorVersion: 1,
  async runSlice(deps, { orgId, stackKey, cursor }: Task, deadline: Deadline): Promise<SliceResult> {
    const stop = () => deadline.passed();
    if (stackKey !== null && cursor === null) {
      if (!(await reconcileStack(deps, orgId, stackKey, stop))) return { done: false, cursor: null };
      await deadline.keep({ stored: true });
    }
    if (!(await inferStale(deps.service.db, orgId, deps.budgets, stop)))
      return { done: false, cursor: { stored: true } };
    await deps.measureGraph(orgId);
    await requestTask(deps, orgId, "org_findings_rebuild");
    return { done: true };
  },
};

/** Stacks up to `after` are through; then every reader is marked, up to `marked`; then the marks are worked off. */
const Cursor = v.object({ after: v.nullable(v.string()), marked: v.optional(v.nullable(v.string())) });
type Cursor = v.InferOutput<typeof Cursor>;

const PAGE = 100;
const MARKS = 1_000;

export const dependencyGraphRebuild: KindOfWork = {
  cursorVersion: 1,
  async runSlice(deps, { orgId, cursor }: Task, deadline: Deadline): Promise<SliceResult> {
    const stop = () => deadline.passed();
    const at: Cursor = cursor === null ? { after: null } : v.parse(Cursor, cursor);
    if (at.marked === undefined && !(await allStacks(deps, orgId, at, deadline))) return { done: false, cursor: at };
    at.marked ??= null;
    if (!(await markAll(deps.service.db, orgId, at, stop))) return { done: false, cursor: at };
    await deadline.keep(at);
    if (!(await inferStale(deps.service.db, orgId, deps.budgets, stop))) return { done: false, cursor: at };
    await deps.measureGraph(orgId);
    await requestTask(deps, orgId, "org_findings_rebuild");
    return { done: true };
  },
};

async function allStacks(deps: TaskDeps, orgId: string, at: Cursor, deadline: Deadline): Promise<boolean> {
  const stop = () => deadline.passed();
  for (;;) {
    const page = await deps.service.db.execute<SqlRow<typeof stacks, "stack_key">>(sql`
      select stack_key from stacks s where s.org_id = ${orgId}::uuid and (${at.after}::uuid is null or s.stack_key > ${at.after}::uuid)
        and (s.deleted_at is null or exists (select from dependency_state d where d.stack_key = s.stack_key))
      order by s.stack_key limit ${PAGE}::integer`);
    for (const { stack_key } of page) {
      if (stop() || !(await reconcileStack(deps, orgId, stack_key, stop))) return false;
      at.after = stack_key;
    }
    if (page.length < PAGE) return true;
    await deadline.keep(at);
  }
}

/** @returns whether every reader is marked; a task that goes on later marks only the rest */
async function markAll(db: Db, orgId: string, at: Cursor, stop: () => boolean): Promise<boolean> {
  for (;;) {
    if (stop()) return false;
    const marked = await db.execute<SqlRow<typeof dependencyState, "stack_key">>(sql`
      update dependency_state set inferred_stale = true where stack_key in (
        select stack_key from dependency_state
        where org_id = ${orgId}::uuid and (${at.marked}::uuid is null or stack_key > ${at.marked}::uuid)
        order by stack_key limit ${MARKS}::integer for no key update)
      returning stack_key`);
    at.marked =
      marked
        .map((row) => row.stack_key)
        .sort()
        .at(-1) ??
      at.marked ??
      null;
    if (marked.length < MARKS) return true;
  }
}
