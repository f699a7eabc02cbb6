import * as v from "valibot";
import { PollAnswer } from "../../src/core/runs/protocol.ts";
import type { Isolation } from "../config/isolation.ts";
import type { ServiceClient } from "../service/serviceClient.ts";

export type Polled = { assignment: PollAnswer } | { assignment: null; retryAfterMs: number | null };

/** The coordinator's routes, called with a group JWT. */
export class GroupApi {
  readonly #client: ServiceClient;
  readonly #isolation: Isolation;

  /** @param isolation said with each poll: a run of foreign code is given only to a runner with a wall */
  constructor(client: ServiceClient, isolation: Isolation) {
    this.#client = client;
    this.#isolation = isolation;
  }

  /** Waits up to `waitSeconds` for a run. `retryAfterMs` is set when the organization is throttled. */
  async poll(waitSeconds: number, signal: AbortSignal): Promise<Polled> {
    const path = `runner-groups/poll?wait_seconds=${waitSeconds}&isolation=${this.#isolation}`;
    // The service answers an empty poll by itself; the margin is for its queueing, not for ours.
    const answer = await this.#client.call("GET", path, { timeoutMs: waitSeconds * 1_000 + 15_000, signal });
    if (answer.status === 204) return { assignment: null, retryAfterMs: answer.retryAfterMs };
    return { assignment: v.parse(PollAnswer, answer.body) };
  }

  async heartbeat(version: string): Promise<void> {
    const json = { version, isolation: this.#isolation };
    await this.#client.call("POST", "runner-groups/heartbeat", { json, timeoutMs: 10_000 });
  }

  /** Tells the service that a claimed run could not be started on this machine; the run fails at once. */
  async dispatchFailed(assignment: PollAnswer, error: string): Promise<void> {
    const json = { ...assignment, error: error.slice(0, 4_000) };
    await this.#client.call("POST", "runner-groups/dispatch-failed", { json, timeoutMs: 10_000 });
  }
}
