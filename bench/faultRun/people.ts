/** The people of a fault run: they create, look, confirm, skip and cancel, and ask again when the service is away. */
import { setTimeout as sleep } from "node:timers/promises";
import type { DeploymentResource } from "../../src/core/deployments/resourceSchema.ts";
import type { HttpAnswer, Person } from "../harness/person.ts";
import { commitOf, storyOf, storyOfCommit } from "./story.ts";
import type { Witness } from "./witness.ts";

const LOOK_MS = 800;

export type PeopleOptions = {
  person: Person;
  slugs: readonly string[];
  count: number;
  /** Between two creations, in milliseconds. */
  everyMs: number;
  witness: Witness;
  signal: AbortSignal;
};

/** Create all deployments, in turns over the stacks. Resolves when each creation was answered. */
export async function createAll({ person, slugs, count, everyMs, witness, signal }: PeopleOptions): Promise<void> {
  const creations: Promise<void>[] = [];
  for (let i = 0; i < count && !signal.aborted; i++) {
    const slug = slugs[i % slugs.length] as string;
    creations.push(createOne(person, slug, i, witness, signal));
    await sleep(everyMs);
  }
  await Promise.all(creations);
}

async function createOne(
  person: Person,
  slug: string,
  i: number,
  witness: Witness,
  signal: AbortSignal,
): Promise<void> {
  const body = { mode: "plan", commit_sha: commitOf(i) };
  const answer = await person.insist("POST", `stacks/${slug}/deployments`, body, `create-${i}`, signal);
  if (answer.status !== 201) return void note(witness, `create ${i}`, answer);
  const { id } = answer.body as DeploymentResource;
  witness.created.set(commitOf(i), id);
  if (storyOf(i) !== "cancelled") return;
  await sleep(Math.random() * 4_000);
  const cancel = await person.insist("POST", `stacks/${slug}/deployments/${id}/cancel`, {}, `cancel-${i}`, signal);
  if (cancel.status === 200) witness.cancelled.add(id);
  else if (cancel.status !== 409) note(witness, `cancel ${id}`, cancel);
}

/** Look at one stack until told to stop, and decide on what waits there. */
export async function decideOn(person: Person, slug: string, witness: Witness, stop: AbortSignal): Promise<void> {
  const decided = new Set<string>();
  while (!stop.aborted) {
    const waiting = await waitingOn(person, slug);
    for (const deployment of waiting) {
      if (decided.has(deployment.id)) continue;
      decided.add(deployment.id);
      await decide(person, slug, deployment, witness, stop);
    }
    await sleep(LOOK_MS * (0.5 + Math.random()));
  }
}

async function waitingOn(person: Person, slug: string): Promise<DeploymentResource[]> {
  const answer = await person.call("GET", `stacks/${slug}/deployments?status=waiting`).catch(() => null);
  return answer?.status === 200 ? (answer.body as { items: DeploymentResource[] }).items : [];
}

async function decide(
  person: Person,
  slug: string,
  { id, commit_sha, stages }: DeploymentResource,
  witness: Witness,
  stop: AbortSignal,
): Promise<void> {
  const decision = storyOfCommit(commit_sha) === "skipped" ? "skip" : "confirm";
  const plan = stages.findLast((stage) => stage.run !== null)?.run?.id;
  const body = decision === "skip" ? {} : { action: "apply", plan_run_id: plan };
  const path = `stacks/${slug}/deployments/${id}/${decision}`;
  const answer = await person.insist("POST", path, body, `${decision}-${id}`, stop).catch(() => null);
  if (answer?.status === 200) (decision === "skip" ? witness.skipped : witness.confirmed).add(id);
  // Somebody cancelled it between the look and the decision.
  else if (answer !== null && answer.status !== 409) note(witness, `${decision} ${id}`, answer);
}

function note(witness: Witness, what: string, { status, body }: HttpAnswer): void {
  witness.oddities.push(`${what}: ${status} ${JSON.stringify(body).slice(0, 300)}`);
}
