/**
 * The kinds of background tasks and what one slice of each does (docs/rules/workflows.md#background-tasks).
 * `dependent_trigger_resolve` is the `dependentCascade` workflow.
 */
import type { Db } from "../../platform/db/client.ts";
import type { SealedObjects } from "../../platform/objects/sealed.ts";
import type { Service } from "../../work/service.ts";
import type { TaskKind } from "../../work/tasks/taskKind.ts";
import type { Budgets } from "../analysis/budgets.ts";

/** What a slice works on. */
export type Task = {
  orgId: string;
  kind: TaskKind;
  /** Null: the whole organization. */
  stackKey: string | null;
  /** What the last slice left, of a version that this worker knows; null at the beginning of a round. */
  cursor: unknown;
};

/** How long a slice may go on, and what to do on the way. */
export type Deadline = {
  /** Whether to stop at the next good place: the slice's time is over, its lease lost, or the worker about to stop. */
  passed(): boolean;
  /** Aborted when the lease is lost or the worker stops. */
  signal: AbortSignal;
  /** Store how far it is, so that another worker goes on from there. @throws when the lease is lost */
  keep(cursor: unknown): Promise<void>;
};

export type SliceResult = { done: true } | { done: false; cursor: unknown };

export type TaskDeps = {
  service: Service;
  /** The explore database. */
  explore: Db;
  objects: Pick<SealedObjects, "getSealed">;
  /** Limits of the dependency graph. */
  budgets: Budgets;
  /** Told when an organization's graph may have become another. */
  measureGraph(orgId: string): Promise<void>;
};

export type KindOfWork = {
  /** Of the cursors that it writes. It also reads every older one. */
  cursorVersion: number;
  /** Work until done or the deadline has passed. Running a part twice must change nothing. */
  runSlice(deps: TaskDeps, task: Task, deadline: Deadline): Promise<SliceResult>;
};

/** A kind without an entry is left to workers that have one. */
export type KindsOfWork = Partial<Record<TaskKind, KindOfWork>>;
