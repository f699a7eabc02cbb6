/**
 * Who follows a log waits here. One look per process and tick asks for all watched deployments together how far their
 * logs reach, so the number of statements hangs neither on readers nor on pushes: 64 deployments to a statement, two
 * ticks a second, none while nobody waits.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { NOTE_EVERY_MS, noteFollowed } from "./followed.ts";
import type { LogChunks, LogStore } from "./logChunks.ts";
import { type AskedLog, readHeads, type StageHead, type StageLog, stageLog } from "./logHeads.ts";
import type { DeploymentLog } from "./logs.ts";

const TICK_MS = 500;
/** Looks for newcomers, who do not wait for the tick, are this far apart. */
const SPACING_MS = 25;
const PER_STATEMENT = 64;

/** A watched deployment, shared by all its readers. */
class Subject {
  readonly deploymentId: string;
  readers = 0;
  readonly waiting = new Set<() => void>();
  /** When it was noted last that somebody follows. */
  notedAt = Number.NEGATIVE_INFINITY;
  log: DeploymentLog | null | undefined;
  /** Bytes of the live chunk of the stage at `position`. */
  tail: { position: number; chunk: number; bytes: Buffer } | null = null;
  #previous = "";

  constructor(deploymentId: string) {
    this.deploymentId = deploymentId;
  }

  /** Stages before the first that may still change are known for good. */
  ask(): AskedLog {
    const { deploymentId } = this;
    const stage = this.log?.stages.find((known) => !known.final) ?? this.log?.stages.at(-1);
    if (stage === undefined) return { deploymentId, position: 0, chunk: 0, tailBytes: 0 };
    const { position, sealedChunks: chunk } = stage;
    const tailBytes = this.tail?.position === position && this.tail.chunk === chunk ? this.tail.bytes.length : 0;
    return { deploymentId, position, chunk, tailBytes };
  }

  /** Take what a look found. */
  learn(heads: readonly StageHead[], { position }: AskedLog, graceMs: number): void {
    const [first] = heads;
    if (first === undefined) this.log = null;
    else {
      const before = this.log?.stages ?? [];
      const lastRun = heads.findLastIndex((head) => head.runId !== null);
      const stages = heads.map((head, place) => {
        const known = before.find((stage) => stage.position === head.position && head.position === position);
        return stageLog(head, known, place < lastRun, graceMs);
      });
      const kept = before.filter((stage) => stage.position < position);
      this.log = { status: first.deploymentStatus, over: first.deploymentOver, stages: [...kept, ...stages] };
    }
    const current = JSON.stringify(this.log);
    if (current === this.#previous) return;
    this.#previous = current;
    this.wake();
  }

  wake(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}

/** One reader's hold on a deployment's log. */
export type Watch = {
  /** How far it reaches, as of the last look; null when the deployment is gone, undefined before the first look. */
  log(): DeploymentLog | null | undefined;
  /** The live bytes of a stage, when they are those after its sealed chunks. */
  tail(stage: StageLog): Buffer | null;
  /** Resolves when `log()` says something else than before, at the first look, or when `signal` aborts. */
  changed(signal: AbortSignal): Promise<void>;
  release(): void;
};

export class LogFeed {
  readonly #store: Pick<LogStore, "db" | "graceMs">;
  readonly #chunks: LogChunks;
  readonly #subjects = new Map<string, Subject>();
  /** Looks serve everyone, so they must not count as the statements of whichever request happened to ask. */
  readonly #outsideOfRequests = AsyncLocalStorage.snapshot();
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #looking = false;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(store: Pick<LogStore, "db" | "graceMs">, chunks: LogChunks) {
    this.#store = store;
    this.#chunks = chunks;
  }

  /** Aborts when the process stops: readers end their streams, and their clients go on elsewhere. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** How many deployments are watched, for tests. */
  get watched(): number {
    return this.#subjects.size;
  }

  /** Watch a deployment; `release` must be called in the end. */
  watch(deploymentId: string): Watch {
    const subject = this.#subjects.get(deploymentId) ?? new Subject(deploymentId);
    this.#subjects.set(deploymentId, subject);
    subject.readers++;
    let released = false;
    return {
      log: () => subject.log,
      tail: ({ position, sealedChunks }) =>
        subject.tail?.position === position && subject.tail.chunk === sealedChunks ? subject.tail.bytes : null,
      changed: (signal) => this.#changed(subject, signal),
      release: () => {
        if (released) return;
        released = true;
        if (--subject.readers === 0) this.#subjects.delete(deploymentId);
      },
    };
  }

  close(): void {
    this.#closing.abort();
    clearTimeout(this.#timer);
    for (const subject of this.#subjects.values()) subject.wake();
  }

  #changed(subject: Subject, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#closing.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = () => {
        subject.waiting.delete(wake);
        resolve();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      subject.waiting.add(wake);
      this.#schedule(subject.log === undefined ? SPACING_MS : TICK_MS);
    });
  }

  /** The next look is at most this long after the last one. */
  #schedule(afterMs: number): void {
    const dueAt = this.#lookedAt + afterMs;
    if (this.#looking || this.#closing.signal.aborted || this.#dueAt <= dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    const wait = Math.max(0, dueAt - performance.now());
    this.#timer = setTimeout(() => this.#outsideOfRequests(() => void this.#look()), wait);
  }

  async #look(): Promise<void> {
    this.#looking = true;
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#lookedAt = performance.now();
    const waited = [...this.#subjects.values()].filter((subject) => subject.waiting.size > 0);
    const noted = this.#note(waited);
    for (let at = 0; at < waited.length; at += PER_STATEMENT) {
      // The database is away: readers go on waiting, and the next tick asks again.
      await this.#lookAt(waited.slice(at, at + PER_STATEMENT)).catch(() => {});
    }
    await noted;
    this.#looking = false;
    const waiting = [...this.#subjects.values()].filter((subject) => subject.waiting.size > 0);
    const newcomers = waiting.some((subject) => subject.log === undefined);
    if (waiting.length > 0) this.#schedule(newcomers ? SPACING_MS : TICK_MS);
  }

  /** Runners of these push often. A note that fails is made at the next look. */
  async #note(subjects: readonly Subject[]): Promise<void> {
    const due = subjects.filter(({ log, notedAt }) => !log?.over && this.#lookedAt - notedAt >= NOTE_EVERY_MS);
    if (due.length === 0) return;
    await noteFollowed(
      this.#store.db,
      due.map(({ deploymentId }) => deploymentId),
    ).then(
      () => {
        for (const subject of due) subject.notedAt = this.#lookedAt;
      },
      () => {},
    );
  }

  async #lookAt(subjects: readonly Subject[]): Promise<void> {
    const positions = subjects.map((subject) => subject.ask());
    const heads = Map.groupBy(await readHeads(this.#store.db, positions), (head) => head.deploymentId);
    for (const [place, subject] of subjects.entries()) {
      const found = heads.get(subject.deploymentId) ?? [];
      await this.#takeTail(subject, found, positions[place] as AskedLog);
      subject.learn(found, positions[place] as AskedLog, this.#store.graceMs);
    }
  }

  /**
   * The live chunk of the last run, opened once for all readers. One that does not open fails its own readers, who then
   * read it themselves, and nobody else's.
   */
  async #takeTail(subject: Subject, heads: readonly StageHead[], from: AskedLog): Promise<void> {
    const head = heads.findLast(({ tail }) => tail !== null);
    if (head?.tail == null || head.runId === null) return;
    const chunk = (head.position === from.position ? from.chunk : 0) + head.chunks;
    const bytes = await this.#chunks.openLive(head.runId, chunk, head.tail).catch(() => null);
    subject.tail = bytes && { position: head.position, chunk, bytes };
  }
}
