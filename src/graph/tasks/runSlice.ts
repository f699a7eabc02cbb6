/**
 * One slice of a background task: take its lease, work until the slice is over, store how far it came
 * (docs/rules/workflows.md#background-tasks).
 */
import { performance } from "node:perf_hooks";
import { parseTaskKey } from "../../../workflows/ids.ts";
import type { TaskView } from "../../../workflows/views.ts";
import { sqlState } from "../../platform/db/sqlState.ts";
import { isDatabaseOutage } from "../../platform/problems/databaseOutage.ts";
import { pauseMs } from "../../platform/time/pause.ts";
import type { TaskKind } from "../../work/tasks/taskKind.ts";
import type { Deadline, KindOfWork, KindsOfWork, TaskDeps } from "./kinds.ts";
import {
  endRound,
  keepCursor,
  type Lease,
  LeaseLostError,
  pauseTask,
  putOff,
  renewLease,
  takeLease,
  taskView,
} from "./lease.ts";

/** A task is never given up: what it derives would stay wrong for ever. */
const FAILED = { firstPauseMs: 5_000 };

export type SliceOutcome = "done" | "paused" | "failed" | "lost";

export type TaskRunner = {
  deps: TaskDeps;
  kinds: KindsOfWork;
  /** Longest slice, after which the slot is given back. */
  sliceMs: number;
  /** Told how each slice ended; `error` is what a failed one threw. */
  sliceEnded(task: SlicedTask, outcome: SliceOutcome, seconds: number, error?: unknown): void;
};

/** `stackKey` is null for what concerns a whole organization. */
export type SlicedTask = Pick<Lease, "kind" | "orgId" | "stackKey" | "attempts">;

/** A sixth of the lease. */
const RENEW_MS = 5_000;
/** Of a kind that this worker lacks: no row has an older cursor. */
const UNKNOWN = -1;

/**
 * @param stopping aborted when the worker is about to stop
 * @throws only for an outage of the main database
 */
export async function runSlice(runner: TaskRunner, key: string, stopping: AbortSignal): Promise<TaskView> {
  const name = parseTaskKey(key);
  if (name === null) return { status: "done", nextMs: null };
  const { db } = runner.deps.service;
  const work = runner.kinds[name.kind as TaskKind];
  const version = work?.cursorVersion ?? UNKNOWN;
  const lease = work === undefined ? null : await takeLease(db, name, version);
  if (work !== undefined && lease !== null) await workOn(runner, work, lease, stopping);
  return taskView(db, name, version);
}

async function workOn(runner: TaskRunner, work: KindOfWork, lease: Lease, stopping: AbortSignal): Promise<void> {
  const { db } = runner.deps.service;
  const { orgId, kind, stackKey, cursor } = lease;
  const began = performance.now();
  const ended = (outcome: SliceOutcome, error?: unknown) =>
    runner.sliceEnded(lease, outcome, (performance.now() - began) / 1_000, error);
  const held = holdLease(runner, work, lease, stopping);
  try {
    const result = await work.runSlice(runner.deps, { orgId, kind, stackKey, cursor }, held.deadline);
    held.release();
    if (result.done) await endRound(db, lease);
    else await pauseTask(db, lease, result.cursor, work.cursorVersion);
    ended(result.done ? "done" : "paused");
  } catch (error) {
    held.release();
    if (error instanceof LeaseLostError) return ended("lost");
    // The main database is away: nothing can be written down, and Temporal tries again.
    if (isDatabaseOutage(error) && !(await reachable(runner))) throw error;
    ended("failed", error);
    await putOff(db, lease, pauseMs(FAILED, lease.attempts + 1, null, Math.random()), problemOf(error)).catch(
      ignoreLost,
    );
  } finally {
    held.release();
  }
}

/** Renews the lease for as long as the slice goes on. */
function holdLease(
  { deps, sliceMs }: TaskRunner,
  { cursorVersion }: KindOfWork,
  lease: Lease,
  stopping: AbortSignal,
): { deadline: Deadline; release(): void } {
  const { db } = deps.service;
  const lost = new AbortController();
  const signal = AbortSignal.any([lost.signal, stopping]);
  const until = performance.now() + sliceMs;
  const timer = setInterval(() => {
    // An outage that outlasts the lease shows at the next write.
    renewLease(db, lease).catch((error: unknown) => error instanceof LeaseLostError && lost.abort(error));
  }, RENEW_MS);
  return {
    deadline: {
      passed: () => signal.aborted || performance.now() >= until,
      signal,
      keep: (cursor) => keepCursor(db, lease, cursor, cursorVersion),
    },
    release: () => clearInterval(timer),
  };
}

async function reachable({ deps }: TaskRunner): Promise<boolean> {
  return deps.service.db.execute("select 1").then(
    () => true,
    () => false,
  );
}

function ignoreLost(error: unknown): void {
  if (!(error instanceof LeaseLostError)) throw error;
}

/**
 * What is stored: class and code, never a message, which may hold values
 * (docs/rules/secrets.md#errors-are-texts-of-our-own).
 */
function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const state = sqlState(error);
  if (isDatabaseOutage(error)) return "a database is out of reach";
  return state === undefined ? error.name : `${error.name} ${state}`;
}
