/** The 20 runners of a fault run. Each behaves as the reference runner does, with a pause instead of an engine. */
import { setTimeout as sleep } from "node:timers/promises";
import { persist } from "../../runner/service/retry.ts";
import type { RunnerApi } from "../../runner/service/runnerApi.ts";
import { ServiceRefused } from "../../runner/service/serviceClient.ts";
import { isRunTerminal, type RunStatus } from "../../src/core/runs/lifecycle.ts";
import type { DoneBody, PollAnswer, RunContext } from "../../src/core/runs/protocol.ts";
import { APPLIED, CHANGES, FAILED, type Fleet, NO_CHANGES } from "../harness/runner.ts";
import { indexOfCommit, modeOf, storyOfCommit } from "./story.ts";
import type { Witness } from "./witness.ts";

const POLL_SECONDS = 20;
const ENGINE_MS = { shortest: 100, longest: 900 };
const STATUS_MS = 500;
const PATIENCE = { windowMs: 300_000 };

export type Runners = {
  /**
   * `kill -9` of one runner at work, if any is: it goes silent at once and forgets its run. Says whether there was one.
   */
  killOne(): boolean;
  /** The same of its coordinator: all of them at once. */
  killAll(): boolean;
  stop(): Promise<void>;
};

export function startRunners(fleet: Fleet, count: number, witness: Witness): Runners {
  const stopping = new AbortController();
  const atWork = new Set<AbortController>();
  const loop = async () => {
    while (!stopping.signal.aborted) {
      const claim = await nextClaim(fleet, stopping.signal);
      if (claim === null) continue;
      const life = new AbortController();
      atWork.add(life);
      await work(fleet, claim, witness, AbortSignal.any([life.signal, stopping.signal])).catch((error: unknown) => {
        if (!life.signal.aborted && !stopping.signal.aborted) witness.oddities.push(`run ${claim.run_id}: ${error}`);
      });
      atWork.delete(life);
    }
  };
  const loops = Array.from({ length: count }, loop);
  return {
    killOne() {
      const [victim] = [...atWork].sort(() => Math.random() - 0.5);
      victim?.abort();
      return victim !== undefined;
    },
    killAll() {
      const victims = [...atWork];
      for (const victim of victims) victim.abort();
      return victims.length > 0;
    },
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function nextClaim({ group }: Fleet, signal: AbortSignal): Promise<PollAnswer | null> {
  try {
    return (await group.poll(POLL_SECONDS, signal)).assignment;
  } catch {
    await sleep(100 + Math.random() * 400);
    return null;
  }
}

/**
 * The ephemeral runner: accept once, work, report. An accept that was refused or not answered ends it
 * (docs/rules/runner-protocol.md#refusals-of-accept).
 */
async function work(fleet: Fleet, claim: PollAnswer, witness: Witness, life: AbortSignal): Promise<void> {
  const api = await fleet.runner(claim);
  await api.ready().catch(() => {});
  if (life.aborted) return;
  const context = await api.accept().catch(() => null);
  if (context === null || life.aborted) return;
  // What is planned beside the lane changes nothing, so others may be at work there.
  const beside = modeOf(indexOfCommit(context.deployment.commit_sha)) === "plan_unlocked";
  const stack = beside ? `${context.stack.id} beside ${claim.run_id}` : context.stack.id;
  witness.start(stack, claim.run_id, context.run.plan_run_id);
  let result: DoneBody | null = null;
  try {
    result = await engine(fleet, api, context, life);
  } catch (error) {
    if (!isGivenUp(error)) throw error;
  } finally {
    witness.stop(stack, claim.run_id);
  }
  if (result !== null && !life.aborted) await report(api, claim.run_id, result, witness, life);
}

/** Null when the service ended the run meanwhile. */
async function engine(fleet: Fleet, api: RunnerApi, context: RunContext, life: AbortSignal): Promise<DoneBody | null> {
  const story = storyOfCommit(context.deployment.commit_sha);
  const isPlan = context.run.kind !== "apply_run";
  if (!isPlan) await fetchPlan(fleet, api, context, life);
  const until = performance.now() + ENGINE_MS.shortest + Math.random() * (ENGINE_MS.longest - ENGINE_MS.shortest);
  for (let left = until - performance.now(); left > 0 && !life.aborted; left = until - performance.now()) {
    await sleep(Math.min(left, STATUS_MS));
    const status = await api.status(life).then(
      (answer) => answer.status,
      () => null,
    );
    if (status === "requested_cancellation") {
      await api.acknowledgeCancel().catch(() => {});
      return { status: "cancelled", exit_code: null };
    }
    if (status !== null && isRunTerminal(status as RunStatus)) return null;
  }
  if (!isPlan) return story === "apply_fails" ? FAILED : APPLIED;
  if (story === "plan_fails") return FAILED;
  const file = await fleet.planFile();
  await persist(() => api.putArtifact("plan", file), { ...PATIENCE, signal: life });
  return story === "no_changes" ? NO_CHANGES : CHANGES;
}

/** The plan that was confirmed, and no other. */
async function fetchPlan(fleet: Fleet, api: RunnerApi, context: RunContext, life: AbortSignal): Promise<void> {
  const file = `${fleet.folder}/fetched-${context.run.id}`;
  const got = await persist(() => api.getArtifact("plan", file, 1_000), { ...PATIENCE, signal: life });
  if (got.sha256 !== context.run.plan_sha256) throw new Error("the plan is not the one that was confirmed");
}

async function report(
  api: RunnerApi,
  runId: string,
  result: DoneBody,
  witness: Witness,
  life: AbortSignal,
): Promise<void> {
  try {
    await persist(() => api.done(result), { ...PATIENCE, signal: life });
    witness.reported.set(runId, result.status);
  } catch (error) {
    if (!isGivenUp(error)) throw error;
  }
}

/** The service ended the run meanwhile; it has another end than the one we saw. */
function isGivenUp(error: unknown): boolean {
  return error instanceof ServiceRefused && error.code === "run_already_terminal";
}
