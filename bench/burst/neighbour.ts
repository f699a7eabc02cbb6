/**
 * The other organization: its plans wait for a person, who confirms one after the other while its runners do the rest.
 */
import { eachAtOnce } from "../harness/eachAtOnce.ts";
import { startMachines } from "../harness/machines.ts";
import { COMMIT, insertStacks } from "../harness/rows.ts";
import { until } from "../harness/until.ts";
import { backlog, type World } from "./world.ts";

/** One confirm: how long from the request to its answer, and which. */
export type Answered = { ms: number; status: number };

export type Neighbour = {
  /** Have so many plans that wait for a person, and nothing under way. */
  prepare(count: number): Promise<void>;
  confirm(): Promise<Answered>;
};

const MACHINES_EACH = 2;
const PREPARE_MS = 300_000;
/** No answer at all. */
const SILENCE = 0;

type Plan = { slug: string; id: string; run_id: string };

export async function openNeighbour(world: World): Promise<Neighbour> {
  const { context, product } = world;
  const { org, person, fleets } = await world.openTenant();
  // Beside a burst a lease may lapse before its runner has accepted: that is looked at elsewhere.
  const onError = (error: unknown) => context.signal.aborted || context.say(`a runner: ${error}`);
  for (const fleet of fleets) startMachines(context, fleet, { count: MACHINES_EACH, onError });
  const waiting: Plan[] = [];
  return {
    async prepare(count) {
      const stacks = await insertStacks(product.sql, org.orgId, Math.max(count - waiting.length, 0));
      const ids: string[] = [];
      await eachAtOnce(stacks, fleets.length * MACHINES_EACH, async ({ slug }) => {
        ids.push((await person.create(slug, { mode: "plan", commit_sha: COMMIT })).id);
      });
      const plans = () => product.sql<Plan[]>`
        select s.slug, d.id, r.id as run_id
        from deployments d join stacks s on s.stack_key = d.stack_key join runs r on r.deployment_id = d.id
        where d.id = any(${ids}) and d.status = 'waiting'`;
      await until("the plans to wait for a person", PREPARE_MS, async () => (await plans()).length === ids.length, 100);
      waiting.push(...(await plans()));
      await until("everything to be quiet", PREPARE_MS, async () => (await backlog(world)).messages === 0, 100);
    },
    async confirm() {
      const plan = waiting.shift();
      if (plan === undefined) throw new Error("no plan waits any more");
      const path = `stacks/${plan.slug}/deployments/${plan.id}/confirm`;
      const started = performance.now();
      const answer = await person
        .call("POST", path, { action: "apply", plan_run_id: plan.run_id })
        .catch(() => ({ status: SILENCE }));
      return { ms: performance.now() - started, status: answer.status };
    },
  };
}
