/**
 * A log as it grows, from any byte on: sealed and live parts joined without gap or repeat, cut only between whole
 * characters and whole terminal sequences. Pull-driven: nothing is read before the reader takes what came before, and
 * never more than a chunk is held.
 */
import type { LogChunks, LogCursor } from "./logChunks.ts";
import type { LogFeed, Watch } from "./logFeed.ts";
import type { StageLog } from "./logHeads.ts";
import { type DeploymentLog, hasGaps, isComplete } from "./logs.ts";
import { wholeLength } from "./textBoundary.ts";

export type LogPiece =
  /** Bytes of one stage; `end` is the offset after them. */
  | { kind: "log"; stageId: string; bytes: Buffer; end: number }
  /** Nothing more will come. */
  | { kind: "end"; end: number; status: string; gaps: boolean };

export type Followed = { deploymentId: string; stageId: string | undefined; from: number };

/**
 * Pieces from byte `from` of the stage, or of all stages one after another. Ends after `end`, without it when `signal`
 * aborts or the deployment is gone.
 * @throws LogGoneError, StorageUnavailableError, DecryptionError
 */
export async function* followLog(
  feed: LogFeed,
  chunks: LogChunks,
  { deploymentId, stageId, from }: Followed,
  signal: AbortSignal,
): AsyncGenerator<LogPiece, void> {
  const watch = feed.watch(deploymentId);
  try {
    const reader = new Reader(watch, chunks, from);
    for (let log = watch.log(); log !== null && !signal.aborted; log = watch.log()) {
      const piece = log === undefined ? "wait" : await reader.next(log, stageId);
      if (piece === "wait") await watch.changed(signal);
      else if (piece !== null) yield piece;
      if (piece !== null && piece !== "wait" && piece.kind === "end") return;
    }
  } finally {
    watch.release();
  }
}

class Reader {
  readonly #watch: Watch;
  readonly #chunks: LogChunks;
  /** The next byte to read. */
  #at: number;
  /** Read and not given yet: the beginning of a character or sequence. */
  #partial: Buffer = Buffer.alloc(0);
  #stageId = "";
  #cursor: LogCursor | null = null;

  constructor(watch: Watch, chunks: LogChunks, from: number) {
    this.#watch = watch;
    this.#chunks = chunks;
    this.#at = from;
  }

  /** The next piece; null to be asked again, "wait" when the log has to grow first. */
  async next(log: DeploymentLog, stageId: string | undefined): Promise<LogPiece | null | "wait"> {
    const { stage, base, size } = this.#place(log, stageId);
    // What the last stage's end left unfinished stays as it is.
    if (this.#partial.length > 0 && stage?.stageId !== this.#stageId) {
      if (stage !== null || isComplete(log, stageId)) return this.#flush();
    }
    if (stage !== null) return this.#read(stage, base);
    if (!isComplete(log, stageId)) return "wait";
    const ofStage = log.stages.find((known) => known.stageId === stageId);
    return {
      kind: "end",
      end: Math.max(size, this.#at),
      status: ofStage?.phase ?? log.status,
      gaps: hasGaps(log, stageId),
    };
  }

  /** The stage that has the next byte, and where its log begins. */
  #place(log: DeploymentLog, stageId: string | undefined): { stage: StageLog | null; base: number; size: number } {
    let base = 0;
    for (const stage of log.stages) {
      if (stageId !== undefined && stage.stageId !== stageId) continue;
      if (this.#at < base + stage.size) return { stage, base, size: base + stage.size };
      base += stage.size;
    }
    return { stage: null, base, size: base };
  }

  async #read(stage: StageLog, base: number): Promise<LogPiece | null> {
    if (stage.stageId !== this.#stageId) {
      this.#stageId = stage.stageId;
      this.#cursor = this.#chunks.cursor(stage.runId as string);
    }
    const at = this.#at - base;
    const live = !stage.final && at >= stage.sealedBytes ? this.#watch.tail(stage) : null;
    const bytes =
      live?.subarray(at - stage.sealedBytes) ?? (await (this.#cursor as LogCursor).read(at, stage.size, stage.final));
    this.#at += bytes.length;
    const joined = Buffer.concat([this.#partial, bytes]);
    const whole = wholeLength(joined);
    this.#partial = joined.subarray(whole);
    return whole === 0 ? null : this.#piece(joined.subarray(0, whole));
  }

  #flush(): LogPiece {
    const bytes = this.#partial;
    this.#partial = Buffer.alloc(0);
    return this.#piece(bytes);
  }

  #piece(bytes: Buffer): LogPiece {
    return { kind: "log", stageId: this.#stageId, bytes, end: this.#at - this.#partial.length };
  }
}
