/** The people of a fault run: they create, look, confirm, skip and cancel, and ask again when the service is away. */
import { setTimeout as sleep } from "node:timers/promises";
import type { DeploymentResource } from "../../src/core/deployments/resourceSchema.ts";
import type { HttpAnswer, Person } from "../harness/person.ts";
import { commitOf, indexOfCommit, isReplanned, modeOf, storyOf, storyOfCommit } from "./story.ts";
import type { Witness } from "./witness.ts";

const LOOK_MS = 500;
const DECIDE_AT_ONCE = 12;
/** A plan is made anew of a part only: of this one, which nobody looks at where no engine runs. */
const ANEW = { action: "replan", targets: ["terraform_data.part"] };

export type PeopleOptions = {
  person: Person;
  slugs: readonly string[];
  /** The first, and one beyond the last. */
  range: readonly [from: number, to: number];
  /** Whether there is room for one more; asked before each. */
  hasRoom?: () => boolean;
  /** Between two creations, in milliseconds. */
  everyMs: number;
  witness: Witness;
  signal: AbortSignal;
};

/** Create all deployments, in turns over the stacks. Resolves when each creation was answered. */
export async function createAll(options: PeopleOptions): Promise<void> {
  const { person, slugs, range, hasRoom = () => true, everyMs, witness, signal } = options;
  const creations: Promise<void>[] = [];
  for (let i = range[0]; i < range[1] && !signal.aborted; i++) {
    const slug = slugs[i % slugs.length] as string;
    const creation = createOne(person, slug, i, witness, signal);
    // It may be given up long before all are waited for, and then it is nobody's yet.
    creation.catch(() => {});
    creations.push(creation);
    do await sleep(everyMs);
    while (!hasRoom() && !signal.aborted);
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
  const body = { mode: modeOf(i), commit_sha: commitOf(i) };
  const path = `stacks/${slug}/deployments`;
  const answer = await twice(person, path, body, `create-${i}`, witness, signal);
  if (answer.status !== 201) return void note(witness, `create ${i}`, answer);
  const { id } = answer.body as DeploymentResource;
  witness.created.set(commitOf(i), id);
  if (storyOf(i) !== "cancelled") return;
  await sleep(Math.random() * 4_000);
  const cancel = await person.insist("POST", `stacks/${slug}/deployments/${id}/cancel`, {}, `cancel-${i}`, signal);
  if (cancel.status === 200) witness.cancelled.add(id);
  else if (cancel.status !== 409) note(witness, `cancel ${id}`, cancel);
}

/** One question in eight is asked again with its key. The answer has to be the one that was given. */
async function twice(
  person: Person,
  path: string,
  body: object,
  key: string,
  witness: Witness,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const answer = await person.insist("POST", path, body, key, signal);
  if (witness.asked++ % 8 !== 0) return answer;
  const again = await person.insist("POST", path, body, key, signal);
  witness.askedTwice += 1;
  if (gist(again) !== gist(answer)) witness.twoAnswers.push(`${key}: ${gist(answer)}, and then ${gist(again)}`);
  return answer;
}

function gist({ status, body }: HttpAnswer): string {
  const { id, code } = (body ?? {}) as { id?: unknown; code?: unknown };
  return `${status} ${code ?? id}`;
}

/** Look at what waits anywhere until told to stop, and decide on it, some at once. */
export async function decideAll(person: Person, witness: Witness, stop: AbortSignal): Promise<void> {
  const under = new Map<string, Promise<void>>();
  while (!stop.aborted) {
    for (const { id, stack_id } of await waitingIn(person)) {
      if (under.has(id)) continue;
      // Read by itself, since lists do not name the plan that waits, and it may have gone on.
      const deciding = person
        .read(stack_id, id)
        .then((deployment) => {
          if (deployment.status === "waiting") return decide(person, stack_id, deployment, witness, stop);
        })
        .catch(() => {})
        .finally(() => under.delete(id));
      under.set(id, deciding);
      if (under.size >= DECIDE_AT_ONCE) await Promise.race(under.values());
    }
    await sleep(LOOK_MS * (0.5 + Math.random()));
  }
  await Promise.allSettled(under.values());
}

async function waitingIn(person: Person): Promise<DeploymentResource[]> {
  const answer = await person.call("GET", "deployments?status=waiting&limit=200").catch(() => null);
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
  const plan = planOf({ stages });
  const anew = decision === "confirm" && isReplanned(indexOfCommit(commit_sha)) && !witness.replanned.has(id);
  const body = decision === "skip" ? {} : anew ? ANEW : { action: "apply", plan_run_id: plan };
  const path = `stacks/${slug}/deployments/${id}/${decision}`;
  const key = `${anew ? "anew" : decision}-${id}-${plan}`;
  const answer = await twice(person, path, body, key, witness, stop).catch(() => null);
  if (anew && answer?.status === 200) return void witness.replanned.add(id);
  if (answer?.status === 200) (decision === "skip" ? witness.skipped : witness.confirmed).add(id);
  // Somebody cancelled it between the look and the decision.
  else if (answer !== null && answer.status !== 409) note(witness, `${decision} ${id}`, answer);
}

function planOf({ stages }: Pick<DeploymentResource, "stages">): string | undefined {
  return stages.findLast((stage) => stage.run !== null)?.run?.id;
}

function note(witness: Witness, what: string, { status, body }: HttpAnswer): void {
  witness.oddities.push(`${what}: ${status} ${JSON.stringify(body).slice(0, 300)}`);
}
