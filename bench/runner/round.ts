/** One round: an empty Node, the engine's calls and the clones by hand, then deployments one after the other. */
import type { RealRunner } from "../harness/coordinator.ts";
import { measuredScript } from "../harness/measuredScript.ts";
import type { Product } from "../harness/product.ts";
import { insertStacks } from "../harness/rows.ts";
import { median } from "../harness/statistics.ts";
import { cloneByHand, engineByHand, type Stub } from "../harness/stubEngine.ts";
import { until } from "../harness/until.ts";

const DEPLOYMENTS = 6;
const STARTS = 20;

/** Milliseconds from the claim of each of a deployment's two runs to that run's end. */
export type Timed = { plan: number; apply: number };
/** Milliseconds of wall and of CPU time, of one each. */
export type Round = {
  plan: number;
  apply: number;
  cpu: number;
  engine: { wall: number; cpu: number };
  clones: { cpu: number };
  node: { wall: number; cpu: number };
};

export async function takeRound(
  folder: string,
  product: Product,
  runner: RealRunner,
  stub: Stub,
): Promise<{ round: Round; timed: Timed[] }> {
  const node = await each(`${process.execPath} -e 0`, STARTS);
  const engine = await each(engineByHand(stub, folder), DEPLOYMENTS);
  const clones = await each(cloneByHand(stub, folder), DEPLOYMENTS);
  const before = await runner.cpuMs();
  const timed = await deployments(product, stub, DEPLOYMENTS);
  const cpu = ((await runner.cpuMs()) - before) / DEPLOYMENTS;
  const plan = median(timed.map((one) => one.plan));
  const apply = median(timed.map((one) => one.apply));
  return { round: { plan, apply, cpu, engine, clones, node }, timed };
}

async function each(script: string, times: number): Promise<{ wall: number; cpu: number }> {
  const { wallMs, cpuMs } = await measuredScript(Array(times).fill(script).join("\n"));
  return { wall: wallMs / times, cpu: cpuMs / times };
}

/** Each of a stack of its own, begun when the one before has ended. */
export async function deployments(
  { person, sql, org }: Product,
  { repository }: Stub,
  count: number,
): Promise<Timed[]> {
  const timed: Timed[] = [];
  const settings = { auto_approve_mode: "auto", repository_url: repository.url };
  for (const { slug } of await insertStacks(sql, org.orgId, count, settings)) {
    const { id } = await person.create(slug, { mode: "plan", commit_sha: repository.commit });
    await until(`deployment ${id} to end`, 60_000, async () => {
      const [row] = await sql`select 1 from deployments where id = ${id} and completed_at is not null`;
      return row !== undefined;
    });
    const runs = await sql<{ kind: string; ms: number }[]>`
      select kind, extract(epoch from completed_at - assigned_at)::float8 * 1000 as ms
      from runs where deployment_id = ${id} and status = 'success'`;
    const of = (kind: string) => runs.find((run) => run.kind === kind)?.ms;
    const [plan, apply] = [of("plan_run"), of("apply_run")];
    if (plan === undefined || apply === undefined) throw new Error(`deployment ${id} was not applied`);
    timed.push({ plan, apply });
  }
  return timed;
}
