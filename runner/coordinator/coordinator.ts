import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { PollAnswer } from "../../src/core/runs/protocol.ts";
import { type RunnerConfig, type RunSettings, runSettings } from "../config/config.ts";
import type { Isolation } from "../config/isolation.ts";
import { EngineVersions } from "../engine/engineVersions.ts";
import { publicReason } from "../process/systemReasons.ts";
import { Backoff, persist } from "../service/retry.ts";
import { ServiceRefused } from "../service/serviceClient.ts";
import { type AbandonedCell, abandonedCells } from "../wall/cell.ts";
import type { Confined } from "../wall/confined.ts";
import { EphemeralProcess } from "./ephemeralProcess.ts";
import type { GroupApi } from "./groupApi.ts";
import type { GroupKey } from "./groupKey.ts";
import { LiveRuns } from "./liveRuns.ts";
import type { RunnerMetrics } from "./observability.ts";
import { settleCell } from "./settleCell.ts";
import type { Spares } from "./spares.ts";

/** A third of a runner token's day: two hand-outs may fail before one runs out. */
const TOKEN_REFRESH_MS = 8 * 3_600_000;
const DISPATCH_FAILED_WINDOW_MS = 60_000;
/**
 * An empty answer that came back sooner than this was not held by the service; asking on at once would be a busy loop.
 */
const MIN_HELD_MS = 500;
const MAX_THROTTLE_MS = 60_000;
/** After the grace of an interrupt, an ephemeral runner still has its log and result to send. */
const REPORT_MS = 30_000;

/**
 * Claims runs for one runner group and starts an ephemeral runner for each. It polls only while it has a free slot, so
 * that a claimed run never waits here for its turn and eats its lease.
 */
export class Coordinator {
  readonly #config: RunnerConfig;
  readonly #key: GroupKey;
  readonly #api: GroupApi;
  readonly #metrics: RunnerMetrics;
  readonly #logger: Logger;
  readonly #spares: Spares;
  readonly #isolation: Isolation;
  readonly #engines: EngineVersions;
  readonly #live = new LiveRuns();
  readonly #draining = new AbortController();
  readonly #hurry = new AbortController();

  constructor(
    config: RunnerConfig,
    key: GroupKey,
    api: GroupApi,
    metrics: RunnerMetrics,
    spares: Spares,
    isolation: Isolation,
    logger: Logger,
  ) {
    this.#config = config;
    this.#engines = new EngineVersions(config);
    this.#key = key;
    this.#api = api;
    this.#metrics = metrics;
    this.#spares = spares;
    this.#isolation = isolation;
    this.#logger = logger;
    key.onChange((failure) => {
      if (failure !== null) return logger.error({ err: failure }, "the changed key file holds no usable key");
      logger.info("the group key changed");
      void this.#renewTokens();
    });
  }

  /** Works until drained; when it resolves, no ephemeral runner is left. */
  async run(): Promise<void> {
    const over = new AbortController();
    const renewal = setInterval(() => void this.#renewTokens(), TOKEN_REFRESH_MS);
    const heartbeats = this.#heartbeatLoop(over.signal);
    // Looked up before the first process, so that no cell of our own can be among them.
    const abandoned = await abandonedCells(this.#config.workDir);
    this.#spares.fill();
    void this.#engines.refresh();
    const settling = this.#settle(abandoned);
    await this.#pollLoop();
    await this.#spares.end();
    await this.#awaitLiveRuns();
    await settling;
    clearInterval(renewal);
    over.abort();
    await heartbeats;
  }

  /** Stops claiming and lets live runs end; asked a second time, interrupts them at once. */
  drain(): void {
    if (this.#draining.signal.aborted) this.#hurry.abort();
    else this.#draining.abort();
  }

  async #pollLoop(): Promise<void> {
    const signal = this.#draining.signal;
    const backoff = new Backoff();
    while (!signal.aborted) {
      if (this.#live.size >= this.#config.maxConcurrent) {
        await this.#live.freed(signal);
        continue;
      }
      const pauseMs = await this.#pollOnce(backoff, signal);
      if (pauseMs > 0) await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  /** One long poll; returns how long to pause before the next, in milliseconds. */
  async #pollOnce(backoff: Backoff, signal: AbortSignal): Promise<number> {
    const startedAt = performance.now();
    try {
      const polled = await this.#api.poll(this.#config.pollWaitSeconds, signal);
      backoff.reset();
      this.#metrics.contact();
      if (polled.assignment !== null) {
        this.#metrics.polls.inc({ outcome: "assigned" });
        await this.#dispatch(polled.assignment);
        return 0;
      }
      this.#metrics.polls.inc({ outcome: polled.retryAfterMs === null ? "empty" : "throttled" });
      if (polled.retryAfterMs !== null) return Math.min(Math.max(polled.retryAfterMs, MIN_HELD_MS), MAX_THROTTLE_MS);
      return performance.now() - startedAt < MIN_HELD_MS ? MIN_HELD_MS * (1 + Math.random()) : 0;
    } catch (error) {
      if (signal.aborted) return 0;
      this.#metrics.polls.inc({ outcome: error instanceof ServiceRefused ? "refused" : "unreachable" });
      const pauseMs = backoff.nextMs();
      this.#logger.warn({ err: error, pauseMs: Math.round(pauseMs) }, "poll failed");
      return pauseMs;
    }
  }

  /**
   * Runs that were killed with an earlier coordinator: their engines are ended before their lanes are given up. What a
   * drain cuts short is left for the next start.
   */
  async #settle(abandoned: readonly AbandonedCell[]): Promise<void> {
    const signal = this.#draining.signal;
    const sign = (runnerId: string, runId: string) => this.#key.runnerToken(runnerId, runId);
    for (const cell of abandoned) {
      if (signal.aborted) return;
      await settleCell(cell, this.#config, sign, this.#logger, signal);
    }
  }

  async #dispatch(assignment: PollAnswer): Promise<void> {
    const { run_id: runId, runner_id: runnerId } = assignment;
    const slot = this.#live.nextSlot();
    let confined: Confined | null = null;
    let ephemeral: EphemeralProcess | null = null;
    try {
      const taken = await this.#spares.take();
      confined = taken;
      const directory = await taken.assign(assignment);
      const token = await this.#key.runnerToken(runnerId, runId);
      ephemeral = new EphemeralProcess(assignment, token, taken, directory, this.#settings(slot), this.#logger);
      // Among the live ones before it starts, so that a key rotation right now reaches it too.
      this.#live.add(ephemeral, slot);
      const started = ephemeral;
      const exited = ephemeral.start(this.#engines.known());
      void exited.then((code) => this.#forget(started, code));
      this.#metrics.liveRuns.set(this.#live.size);
      this.#logger.info({ runId, runnerId }, "started an ephemeral runner");
      this.#spares.fill();
      void this.#engines.refresh();
    } catch (error) {
      if (ephemeral !== null) this.#live.remove(ephemeral);
      confined?.kill();
      void confined?.clear();
      this.#reportFailedDispatch(assignment, { err: error }, publicReason(error));
    }
  }

  #reportFailedDispatch(assignment: PollAnswer, fields: object, why: string): void {
    const runId = assignment.run_id;
    this.#metrics.runs.inc({ outcome: "not_started" });
    this.#logger.error({ ...fields, runId }, "cannot start an ephemeral runner");
    const reason = `the runner machine cannot start the run (${why})`;
    const windows = { windowMs: DISPATCH_FAILED_WINDOW_MS, unauthorizedWindowMs: DISPATCH_FAILED_WINDOW_MS };
    void persist(() => this.#api.dispatchFailed(assignment, reason), windows).catch((failed: unknown) =>
      this.#logger.warn({ err: failed, runId }, "could not report the failed dispatch"),
    );
  }

  /**
   * Engines must not write to one plugin cache at the same time, so without a wall each slot has its own below the
   * configured one. Behind a wall nobody writes to it.
   */
  #settings(slot: number): RunSettings {
    const isolation = this.#isolation;
    const settings = { ...runSettings(this.#config), isolation, pluginCacheShared: isolation !== "none" };
    const cache = settings.pluginCacheDir;
    if (cache === undefined || settings.pluginCacheShared) return settings;
    return { ...settings, pluginCacheDir: path.join(cache, `slot-${slot}`) };
  }

  #forget(ephemeral: EphemeralProcess, code: number | null): void {
    this.#live.remove(ephemeral);
    this.#metrics.liveRuns.set(this.#live.size);
    if (!ephemeral.begun) {
      this.#reportFailedDispatch(ephemeral.assignment, { code }, "its process ended before it knew of it");
      return;
    }
    this.#metrics.runs.inc({ outcome: code === 0 ? "exit_0" : code === null ? "killed" : "exit_nonzero" });
    this.#logger.info({ ...ephemeral.assignment, code }, "an ephemeral runner ended");
  }

  async #awaitLiveRuns(): Promise<void> {
    if (this.#live.size > 0) this.#logger.info({ live: this.#live.size }, "draining: waiting for live runs");
    const { drainMs, cancelGraceMs } = this.#config;
    if (await this.#live.emptied(drainMs, this.#hurry.signal)) return;
    this.#logger.warn({ live: this.#live.size }, "draining: interrupting live runs");
    for (const ephemeral of this.#live.all()) ephemeral.interrupt();
    if (await this.#live.emptied(cancelGraceMs + REPORT_MS)) return;
    for (const ephemeral of this.#live.all()) ephemeral.kill();
    await this.#live.emptied(cancelGraceMs + REPORT_MS);
  }

  async #heartbeatLoop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#api.heartbeat(this.#metrics.version);
        this.#metrics.contact();
      } catch (error) {
        this.#logger.warn({ err: error }, "heartbeat failed");
      }
      await delay(this.#config.heartbeatMs, undefined, { signal }).catch(() => {});
    }
  }

  async #renewTokens(): Promise<void> {
    for (const ephemeral of this.#live.all()) {
      const { runner_id: runnerId, run_id: runId } = ephemeral.assignment;
      ephemeral.giveToken(await this.#key.runnerToken(runnerId, runId));
    }
  }
}
