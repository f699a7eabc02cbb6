import { setTimeout as delay } from "node:timers/promises";
import type { OwnLog } from "../output/ownLog.ts";
import type { StopSignal } from "../process/stop.ts";
import { pauseOf } from "../service/comeAgain.ts";
import { persist, UNAUTHORIZED_WINDOW_MS } from "../service/retry.ts";
import type { RunnerApi } from "../service/runnerApi.ts";
import { ServiceRefused } from "../service/serviceClient.ts";

const TERMINAL = new Set(["success", "failure", "cancelled", "timed_out", "startup_timeout", "discarded"]);
/** The acknowledgement gets this long before the engine is interrupted without it. */
const ACKNOWLEDGE_FIRST_MS = 5_000;

/**
 * Asks for the run's status every few seconds, or as seldom as the service wants it: that is the sign of life the
 * service counts on, and how a cancel or the end of the run reaches the engine (docs/rules/runs.md#signs-of-life).
 */
export class Liveness {
  readonly #api: RunnerApi;
  readonly #stop: StopSignal;
  readonly #intervalMs: number;
  readonly #logger: OwnLog;
  readonly #over = new AbortController();
  #unauthorizedSince: number | null = null;
  #acknowledged = false;

  constructor(api: RunnerApi, stop: StopSignal, intervalMs: number, logger: OwnLog) {
    this.#api = api;
    this.#stop = stop;
    this.#intervalMs = intervalMs;
    this.#logger = logger;
  }

  start(): void {
    void this.#loop();
  }

  end(): void {
    this.#over.abort();
  }

  async #loop(): Promise<void> {
    const signal = this.#over.signal;
    // The run was accepted just now.
    await this.#pause(this.#intervalMs);
    while (!signal.aborted) {
      let pauseMs = this.#intervalMs;
      try {
        const answer = await this.#api.status(signal);
        this.#unauthorizedSince = null;
        pauseMs = pauseOf(this.#intervalMs, answer);
        await this.#act(answer.status);
      } catch (error) {
        if (!signal.aborted) this.#judge(error);
      }
      await this.#pause(pauseMs);
    }
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#over.signal }).catch(() => {});
  }

  async #act(status: string): Promise<void> {
    if (TERMINAL.has(status)) {
      this.#logger.info({ status }, "the service ended this run");
      this.#stop.request({ kind: "ended", status });
    } else if (status === "requested_cancellation" || status === "cancelling") {
      if (!this.#acknowledged) await this.#acknowledge();
      this.#stop.request({ kind: "cancelled" });
    }
  }

  /** The engine's interrupt waits for the first attempt only; later ones go on beside it. */
  async #acknowledge(): Promise<void> {
    this.#acknowledged = true;
    const acknowledged = persist(() => this.#api.acknowledgeCancel(), { windowMs: 60_000, signal: this.#over.signal });
    const noted = acknowledged.catch((error: unknown) => {
      if (!this.#over.signal.aborted) this.#logger.warn({ err: error }, "could not acknowledge the cancel");
    });
    await Promise.race([noted, delay(ACKNOWLEDGE_FIRST_MS, undefined, { signal: this.#over.signal }).catch(() => {})]);
  }

  /**
   * No answer is borne for ever, an unusable JWT for five minutes; any other refusal means the run is not ours any
   * more.
   */
  #judge(error: unknown): void {
    if (!(error instanceof ServiceRefused)) {
      this.#logger.debug({ err: error }, "status call failed");
    } else if (error.status === 401) {
      this.#unauthorizedSince ??= performance.now();
      if (performance.now() - this.#unauthorizedSince < UNAUTHORIZED_WINDOW_MS) return;
      this.#logger.error({}, "the service has refused this runner's token for five minutes");
      this.#stop.request({ kind: "cut_off" });
    } else {
      this.#logger.error({ err: error }, "the service refuses this runner");
      this.#stop.request({ kind: "ended", status: `refused with ${error.status}` });
    }
  }
}
