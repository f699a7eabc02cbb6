/**
 * Reading a deployment's log as it is now: the chunks of its runs in order, sealed ones from the object store, the
 * last one from the row while it is still being written (docs/rules/runner-protocol.md#logs). One statement fixes how
 * far it reaches; everything after that reads only bytes that never change, so a reader gets a true prefix, without
 * gap or repeat.
 */
import type { LogChunks, LogStore } from "./logChunks.ts";
import { readHeads, type StageLog, stageLog } from "./logHeads.ts";

export type DeploymentLog = {
  status: string;
  over: boolean;
  /** In order; their logs follow one another. */
  stages: StageLog[];
};

/** What can be read now. */
export type LogView = {
  /** Bytes. */
  size: number;
  /** Whether nothing more is expected. */
  complete: boolean;
  /** Whether a part of it never came, and never will. */
  gaps: boolean;
  /** Bytes from `start` up to, not including, `end`. The stream fails rather than give other bytes. */
  read(start: number, end: number): AsyncGenerator<Buffer, void>;
};

/** The stages of a deployment with how far their logs reach; null when there is no such deployment. */
export async function readLog(
  { db, lists = db, graceMs }: Pick<LogStore, "db" | "lists" | "graceMs">,
  deploymentId: string,
): Promise<DeploymentLog | null> {
  const heads = await readHeads(lists, [{ deploymentId, position: 0, chunk: 0, tailBytes: 0 }]);
  const [first] = heads;
  if (first === undefined) return null;
  const lastRun = heads.findLastIndex((head) => head.runId !== null);
  return {
    status: first.deploymentStatus,
    over: first.deploymentOver,
    stages: heads.map((head, place) => stageLog(head, undefined, place < lastRun, graceMs)),
  };
}

/** The log of one stage, or of all of them one after another. Null when there is no such stage. */
export function viewLog(chunks: LogChunks, log: DeploymentLog, stageId: string | undefined): LogView | null {
  const stages = log.stages.filter((stage) => stageId === undefined || stage.stageId === stageId);
  if (stageId !== undefined && stages.length === 0) return null;
  return {
    size: stages.reduce((sum, stage) => sum + stage.size, 0),
    complete: isComplete(log, stageId),
    gaps: hasGaps(log, stageId),
    read: (start, end) => readStages(chunks, stages, start, end),
  };
}

/** Whether nothing more is expected of a stage, or of all of them: a deployment that goes on may get further ones. */
export function isComplete(log: DeploymentLog, stageId: string | undefined): boolean {
  if (stageId !== undefined) return log.stages.find((stage) => stage.stageId === stageId)?.ended ?? true;
  return log.over && log.stages.every((stage) => stage.ended);
}

export function hasGaps({ stages }: DeploymentLog, stageId: string | undefined): boolean {
  return stages.some((stage) => (stageId === undefined || stage.stageId === stageId) && stage.gaps);
}

async function* readStages(
  chunks: LogChunks,
  stages: readonly StageLog[],
  start: number,
  end: number,
): AsyncGenerator<Buffer, void> {
  let base = 0;
  for (const { runId, size, final } of stages) {
    const to = Math.min(size, end - base);
    const cursor = runId === null ? null : chunks.cursor(runId);
    for (let at = Math.max(0, start - base); cursor !== null && at < to; ) {
      const bytes = await cursor.read(at, to, final);
      at += bytes.length;
      yield bytes;
    }
    base += size;
  }
}
