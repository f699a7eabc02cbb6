/** Watches a deployment until it comes to rest: its log as it comes, and one line on what it waits for. */
import { setTimeout as pause } from "node:timers/promises";
import { answerOf } from "../../clients/api/client.ts";
import type { Session } from "../service/session.ts";
import type { Deployment } from "../service/types.ts";
import { isHopeless, isUnreachable } from "../service/unreachable.ts";
import { Cleaner } from "../terminal/clean.ts";
import { shownDuration } from "../terminal/durations.ts";
import type { Screen } from "../terminal/screen.ts";
import { followLog } from "./followLog.ts";
import { pollPause } from "./poll.ts";
import { isAtRest, isOver, loggedStages, type StageOf, standing } from "./stages.ts";

export type DeploymentPath = { stackId: string; id: string };

export type Watching = {
  logs: boolean;
  /** Over, rather than at rest: a plan that waits for a person is watched on. */
  toTheEnd?: boolean;
  signal: AbortSignal;
};

const HEADINGS: Record<string, string> = {
  plan_run: "plan",
  destroy_run: "plan to destroy",
  refresh_run: "refresh",
  apply_run: "apply",
  raw_run: "command",
};

export class Watch {
  readonly #session: Session;
  readonly #screen: Screen;
  readonly #path: DeploymentPath;
  /** Stages whose log was shown to its end; kept, so that a second look goes on where the first one stopped. */
  readonly #shown = new Set<string>();
  #said = "";

  readonly #onLook: (deployment: Deployment) => void;

  /** @param onLook is told of the deployment at each look */
  constructor(session: Session, screen: Screen, path: DeploymentPath, onLook = (_: Deployment): void => {}) {
    this.#session = session;
    this.#screen = screen;
    this.#path = path;
    this.#onLook = onLook;
  }

  /** What is there already is not shown again. */
  skipLogsOf({ stages }: Deployment): void {
    for (const { stage_id } of stages) this.#shown.add(stage_id);
  }

  /** @throws the signal's reason; Failure and ApiError of what cannot be read */
  async untilRest({ logs, toTheEnd = false, signal }: Watching): Promise<Deployment> {
    let changedAt = performance.now();
    let following: Promise<void> | null = null;
    let broken: { error: unknown } | null = null;
    try {
      for (;;) {
        const deployment = await this.#look(signal);
        if (deployment !== null) {
          this.#onLook(deployment);
          if (this.#tell(deployment)) changedAt = performance.now();
          const next = logs ? loggedStages(deployment).find(({ stage_id }) => !this.#shown.has(stage_id)) : undefined;
          if (next !== undefined && following === null) {
            following = this.#show(next, signal)
              .catch((error: unknown) => {
                broken = { error };
              })
              .finally(() => {
                following = null;
              });
          }
          const settled = toTheEnd ? isOver(deployment) : isAtRest(deployment);
          if (settled && next === undefined && following === null) return deployment;
        }
        if (broken !== null) throw (broken as { error: unknown }).error;
        const waits = pause(pollPause(performance.now() - changedAt), undefined, { signal });
        await (following === null ? waits : Promise.race([waits, following]));
      }
    } finally {
      this.#screen.endStream();
      await this.#screen.status(null);
    }
  }

  /** Null while the service cannot be reached. */
  async #look(signal: AbortSignal): Promise<Deployment | null> {
    const { api, orgId } = this.#session;
    const { stackId, id } = this.#path;
    try {
      const call = api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}", {
        params: { path: { org_id: orgId, stack_id: stackId, id } },
        signal,
      });
      const deployment = await answerOf(call);
      return deployment;
    } catch (error) {
      signal.throwIfAborted();
      const { status } = error as { status?: number };
      if (status !== undefined ? status < 500 && status !== 429 : !isUnreachable(error) || isHopeless(error))
        throw error;
      return null;
    }
  }

  /** @returns whether anything is other than it was */
  #tell(deployment: Deployment): boolean {
    const said = standing(deployment);
    const changed = said !== this.#said;
    this.#said = said;
    if (changed) {
      const { id, status, waiting_for, queue_position, blocked_by } = deployment;
      this.#screen.value({ event: "status", id, status, waiting_for, queue_position, blocked_by });
    }
    if (!isAtRest(deployment)) {
      const since = Date.parse(begunAt(deployment));
      // The time stands first: where the line is too long for the terminal, its end is cut.
      const line = () => `${shownDuration(Date.now() - since)}, ${said}`;
      void this.#screen.status(line, said);
    }
    return changed;
  }

  async #show({ stage_id, kind }: StageOf, signal: AbortSignal): Promise<void> {
    const { orgId } = this.#session;
    const { stackId, id } = this.#path;
    const path = `/api/v1/orgs/${orgId}/stacks/${encodeURIComponent(stackId)}/deployments/${id}/logs?stage=${stage_id}`;
    const clean = new Cleaner(this.#screen.terminal.color.out);
    this.#screen.note(`--- ${HEADINGS[kind] ?? kind}`);
    const onTrouble = (why: string | null) => this.#screen.trouble("log", why);
    for await (const piece of followLog(this.#session, path, { signal, onTrouble })) {
      if (piece.kind === "text") {
        this.#screen.stream(clean.take(piece.text));
        this.#screen.value({ event: "log", stage_id, kind, text: piece.text });
      } else if (piece.gaps) {
        this.#screen.note("A part of this log never came.");
      }
    }
    this.#screen.endStream();
    this.#shown.add(stage_id);
  }
}

/** When its present state began, as far as it says. */
function begunAt({ status, stages, created_at, waiting_since }: Deployment): string {
  if (status === "waiting" && waiting_since !== null) return waiting_since;
  const run = stages.at(-1)?.run;
  return run?.started_at ?? run?.first_pending_at ?? created_at;
}
