/**
 * One step of a cascade: write down who depends on the apply, if that is not written, then trigger a few of those
 * that are due (docs/rules/graph.md#every-dependent-says-what-became-of-it). Every part of it may be repeated, or run
 * twice at once: the rows say what is done.
 */
import { sql } from "drizzle-orm";
import type { CascadeView } from "../../../workflows/views.ts";
import type { Head, HeadOf } from "../../core/deployments/head.ts";
import { isDatabaseOutage } from "../../platform/problems/databaseOutage.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { inNewTrace } from "../../platform/telemetry/traceContext.ts";
import type { RetryPolicy } from "../../platform/time/pause.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { waitsForPerson } from "./decideDependent.ts";
import { recordFailure, recordGone } from "./failed.ts";
import { cascadeView, dueDependents, type OpenDependent } from "./openDependents.ts";
import { markResolved } from "./openTriggers.ts";
import type { Pace } from "./pace.ts";
import { findParentApply, type ParentApply } from "./parentApply.ts";
import { isToBeRead, type SnapshotDeps, writeSnapshot } from "./snapshot.ts";
import { triggerDependent } from "./triggerDependent.ts";
import { type Failure, failureOf } from "./triggerFailure.ts";

export type CascadeDeps = SnapshotDeps & {
  headOf: HeadOf;
  policy: RetryPolicy;
  pace: Pace;
  /** Told what became of dependents, for the metric. */
  count?: (outcome: CascadeOutcome, by: number) => void;
  /** Told of the time from the end of an apply until all its dependents were resolved, in milliseconds. */
  resolved?: (ms: number) => void;
  /** Told of a failure that nobody foresaw, and of the apply and one dependent that it struck; it is in the row too. */
  onUnexpected?: (error: unknown, about: { orgId: string; deploymentId: string; stackKey: string }) => void;
};

export type CascadeOutcome = "triggered" | "manual" | "skipped" | "failed";

/** Dependents to one step, if there is time for as many: a worker that is told to stop waits for a step. */
const BATCH = 100;
const STEP_MS = 5_000;
/** Hosts asked at once. */
const HOSTS = 4;

/**
 * A run's analysis is read moments after the run ended, later where workers were away: an apply that ends in between
 * waits for it before it writes down who depends on it. Not for long: readings of a busy organization may queue behind
 * others.
 */
const LONGEST_WAIT_MS = 15_000;
const LOOK_EVERY_MS = 500;

/** @throws only for an outage of our own: database or object store */
export async function resolveDependents(deps: CascadeDeps, parentId: string, waitedMs = 0): Promise<CascadeView> {
  const { db } = deps.service;
  const applied = await findParentApply(db, parentId);
  if (applied === null) return { open: 0, nextMs: null };
  if (applied.resolved_at !== null) return cascadeView(db, applied);
  if (waitedMs < LONGEST_WAIT_MS && (await isToBeRead(db, applied))) {
    return { open: 0, nextMs: LOOK_EVERY_MS, waitedMs: waitedMs + LOOK_EVERY_MS };
  }
  const decided = await writeSnapshot(deps, applied);
  deps.count?.("manual", decided.filter(waitsForPerson).length);
  deps.count?.("skipped", decided.filter((row) => row.skippedReason !== null && !waitsForPerson(row)).length);
  await triggerBatch(deps, applied, await dueDependents(db, parentId, BATCH));
  const view = await cascadeView(db, applied);
  if (view.open === 0) await finish(deps, applied);
  return view;
}

/** Dependents of one branch share the answer of its host, and so its failure. */
async function triggerBatch(deps: CascadeDeps, applied: ParentApply, batch: readonly OpenDependent[]): Promise<void> {
  const groups = [
    ...Map.groupBy(batch, ({ repository_url, branch }) => `${repository_url} ${branch}`).values(),
  ].values();
  const until = performance.now() + STEP_MS;
  const worker = async () => {
    for (const group of groups) await triggerGroup(deps, applied, group, until);
  };
  await Promise.all(Array.from({ length: HOSTS }, worker));
}

async function triggerGroup(
  deps: CascadeDeps,
  applied: ParentApply,
  group: readonly OpenDependent[],
  until: number,
): Promise<void> {
  const first = group[0] as OpenDependent;
  const { org_id: orgId, repository_url: repositoryUrl, branch } = first;
  const head = await attempt(deps, applied, first, () => deps.headOf({ orgId, repositoryUrl, branch }));
  const random = Math.random();
  for (const dependent of group) {
    // What is left stays due, and the next step begins with it. One at least, however long its host took.
    if (performance.now() > until && dependent !== first) return;
    const failure = "value" in head ? await triggerOne(deps, applied, dependent, head.value) : head.failure;
    if (failure === null) continue;
    const place = `${dependent.repository_key} ${dependent.branch}`;
    const gaveUp = await recordFailure(deps.service, deps.policy, applied.id, dependent, { ...failure, place, random });
    if (gaveUp) deps.count?.("failed", 1);
  }
}

/** @returns why it could not be triggered; null when it was, or when it is settled otherwise */
async function triggerOne(
  deps: CascadeDeps,
  parent: ParentApply,
  dependent: OpenDependent,
  commit: Head,
): Promise<Failure | null> {
  const { service } = deps;
  // A trace of its own for each: an apply may have thousands of dependents, and those others.
  const trigger = () =>
    inNewTrace("trigger a dependent", () =>
      unitOfWork(service, (work) => triggerDependent(work, { parent, dependent, commit, actor: null })),
    );
  const done = await attempt(deps, parent, dependent, () => deps.pace(trigger));
  if ("failure" in done) return done.failure;
  const { outcome } = done.value;
  if (outcome === "triggered") deps.count?.("triggered", 1);
  if (outcome === "gone") {
    await recordGone(service, parent.id, dependent.stack_key);
    deps.count?.("skipped", 1);
  }
  // With `moved` it stays due: the next step asks the repository it has now.
  return null;
}

async function attempt<T>(
  { onUnexpected }: CascadeDeps,
  { id: deploymentId }: ParentApply,
  { org_id: orgId, stack_key: stackKey }: OpenDependent,
  work: () => Promise<T>,
): Promise<{ value: T } | { failure: Failure }> {
  try {
    return { value: await work() };
  } catch (error) {
    if (isDatabaseOutage(error)) throw error;
    if (!(error instanceof ProblemError)) {
      onUnexpected?.(error, { orgId, deploymentId, stackKey });
    }
    return { failure: failureOf(error) };
  }
}

async function finish({ service, resolved }: CascadeDeps, applied: ParentApply): Promise<void> {
  await markResolved(service.db, applied.id);
  if (resolved === undefined) return;
  const [row] = await service.db.execute<{ ms: number | null }>(sql`
    select extract(epoch from dependents_resolved_at - dependents_snapshot_at)::float8 * 1000 as ms
    from deployments where id = ${applied.id}`);
  if (row?.ms != null) resolved(row.ms);
}
