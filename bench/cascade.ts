/**
 * One apply with ten thousand dependents, the product's own programs, and beside it a person of another organization
 * who goes on deciding: how long their requests take while the cascade runs against how long they took before it, and
 * whether the worker's memory stays flat while every dependent gets its deployment, once.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type postgres from "postgres";
import { atMost, type Bench, type BenchContext, type BenchResult, exactly, rounded } from "./harness/bench.ts";
import { Person } from "./harness/person.ts";
import { type Product, startProduct } from "./harness/product.ts";
import { COMMIT, insertStacks, type StackRow } from "./harness/rows.ts";
import { APPLIED, CHANGES, claimNext, execute } from "./harness/runner.ts";
import { seedOrg, settle, WIDE_LIMITS } from "./harness/seed.ts";
import { sizeOf } from "./harness/sizes.ts";
import { median, percentile, summary } from "./harness/statistics.ts";
import { until } from "./harness/until.ts";

const DEPENDENTS = sizeOf("BENCH_CASCADE_DEPENDENTS", 10_000);
/**
 * A cascade to warm programs with, and to fill the worker's cache of workflows: that is memory too, and bounded by
 * itself.
 */
const WARM_UP = 600;
/** Time between two decisions of the other organization. */
const EVERY_MS = 150;
const ALONE_SECONDS = 30;
const LIMIT_SECONDS = 1_500;

export const bench: Bench = {
  what: `an apply with ${DEPENDENTS} dependents: another organization's decisions beside it, and the worker's memory`,
  limitSeconds: LIMIT_SECONDS,
  run,
};

type Neighbour = { person: Person; slug: string; id: string };

async function run(context: BenchContext): Promise<BenchResult> {
  const repository = await makeRepository(context);
  const product = await startProduct(context, {
    env: { SVC_GIT_ALLOW_PROTOCOL: "file", SVC_CASCADE_TRIGGERS_PER_SECOND: "10" },
  });
  const neighbour = await makeNeighbour(product);
  const warm = await makeParent(product, repository, WARM_UP);
  await resolve(product, await apply(product, warm), 120);
  const parent = await makeParent(product, repository, DEPENDENTS);
  await settle(product.sql, "stacks", "dependency_edges", "deployments");
  await idle(product.sql);
  await decide(neighbour, AbortSignal.timeout(5_000));
  const alone = await decide(neighbour, AbortSignal.timeout(ALONE_SECONDS * 1_000));
  context.say(`alone: p50 ${median(alone).toFixed(1)} ms of ${alone.length} decisions`);

  const memory = await watchMemory(product);
  const before = await memory.now();
  const deploymentId = await apply(product, parent);
  const started = performance.now();
  const done = new AbortController();
  const beside = decide(neighbour, done.signal);
  await resolve(product, deploymentId, LIMIT_SECONDS - 120, (made) => context.say(`${made} dependents triggered`));
  const seconds = (performance.now() - started) / 1_000;
  done.abort();
  const [during, megabytes] = [await beside, memory.stop()];
  context.say(`beside: p50 ${median(during).toFixed(1)} ms of ${during.length} decisions, ${seconds.toFixed(0)} s`);

  const [made] = await product.sql`
    select count(*)::int as children, count(distinct stack_key)::int as stacks from deployments
    where origin_dependency_deployment_id = ${deploymentId}`;
  const quarter = (nth: number) =>
    median(megabytes.slice(Math.floor((megabytes.length * nth) / 4), Math.ceil((megabytes.length * (nth + 1)) / 4)));
  return {
    figures: {
      dependents: DEPENDENTS,
      seconds: rounded(seconds),
      per_second: rounded(DEPENDENTS / seconds),
      decision_ms_alone: summary(alone),
      decision_ms_beside: summary(during),
      p99_to_alone: rounded(percentile(during, 0.99) / percentile(alone, 0.99)),
      worker_megabytes_before: rounded(before),
      worker_megabytes_by_quarter: [0, 1, 2, 3].map((nth) => rounded(quarter(nth))),
      worker_megabytes_peak: rounded(Math.max(...megabytes)),
    },
    bars: {
      children: exactly(made?.children, DEPENDENTS),
      stacks_with_a_child: exactly(made?.stacks, DEPENDENTS),
      other_organization_p50_to_alone: atMost(median(during) / median(alone), 1.5),
      // In the first quarter the garbage collector still makes itself comfortable.
      memory_last_quarter_to_second: atMost(quarter(3) / quarter(1), 1.25),
    },
  };
}

async function makeRepository({ folder }: BenchContext): Promise<string> {
  const bare = join(folder, "repository");
  const git = (...args: string[]) =>
    promisify(execFile)("git", ["-c", "user.name=b", "-c", "user.email=b@example.test", ...args]);
  await git("init", "--quiet", "--initial-branch=main", bare);
  await git("-C", bare, "commit", "--quiet", "--allow-empty", "--message=first");
  return `file://${bare}`;
}

/** A person of another organization with a deployment that waits in a queue, to be put first and last in turn. */
async function makeNeighbour({ sql, programs }: Product): Promise<Neighbour> {
  const org = await seedOrg(sql, WIDE_LIMITS);
  const person = new Person(() => programs[0]?.baseUrl ?? "", org);
  const [stack] = (await insertStacks(sql, org.orgId, 1)) as [StackRow];
  await person.create(stack.slug, { mode: "plan", commit_sha: COMMIT });
  const { id } = await person.create(stack.slug, { mode: "plan", commit_sha: COMMIT });
  return { person, slug: stack.slug, id };
}

/** Decisions through the deployment's workflow, one every `EVERY_MS`. @returns milliseconds from request to answer */
async function decide({ person, slug, id }: Neighbour, signal: AbortSignal): Promise<number[]> {
  const samples: number[] = [];
  for (let i = 0; !signal.aborted; i++) {
    const started = performance.now();
    const path = `stacks/${slug}/deployments/${id}/${i % 2 === 0 ? "prioritize" : "deprioritize"}`;
    const { status } = await person.call("POST", path, {});
    if (status !== 200) throw new Error(`a decision was answered ${status}`);
    samples.push(performance.now() - started);
    await sleep(Math.max(EVERY_MS - (performance.now() - started), 0));
  }
  return samples;
}

async function makeParent({ sql, org }: Product, repository: string, dependents: number): Promise<StackRow> {
  const [parent] = (await insertStacks(sql, org.orgId, 1, {
    auto_approve_mode: "auto",
    repository_url: repository,
  })) as [StackRow];
  const below = await insertStacks(sql, org.orgId, dependents, { repository_url: repository });
  const keys = below.map(({ stack_key }) => stack_key);
  await sql`
    insert into dependency_edges (org_id, dependent_stack_key, provenance, dependency_stack_slug, trigger, edge_hash)
    select ${org.orgId}, key, 'declared', ${parent.slug}, 'always', sha256(convert_to(${parent.slug}, 'UTF8'))
    from unnest(${keys}::uuid[]) key`;
  return parent;
}

/** From request to the end of its apply. @returns the deployment */
async function apply({ person, fleet, sql, org }: Product, { slug }: StackRow): Promise<string> {
  // What the cascade before left to runners would come first.
  await sql`update runs set prioritized_at = null where org_id = ${org.orgId} and status = 'pending'`;
  const { id } = await person.create(slug, { mode: "plan" });
  await person.decide(slug, id, "prioritize");
  await execute(fleet, await claimNext(fleet), CHANGES);
  await execute(fleet, await claimNext(fleet), APPLIED);
  return id;
}

async function resolve(
  { sql }: Product,
  deploymentId: string,
  seconds: number,
  say: (made: number) => void = () => {},
): Promise<void> {
  let told = 0;
  await until(
    "every dependent to be resolved",
    seconds * 1_000,
    async () => {
      const [row] = await sql`
        select dependents_resolved_at is not null as resolved,
          (select count(*)::int from dependent_triggers t where t.parent_deployment_id = d.id and t.triggered_deployment_id is not null) as made
        from deployments d where id = ${deploymentId}`;
      if (row?.made >= told + 1_000) {
        told = row?.made;
        say(told);
      }
      return row?.resolved;
    },
    500,
  );
}

async function idle(sql: postgres.Sql): Promise<void> {
  await until("the outbox to be empty", 60_000, async () => {
    const [outbox] = await sql`select count(*)::int as n from outbox`;
    return outbox?.n === 0;
  });
  // Their workflows' first tasks.
  await sleep(3_000);
}

/** The worker's resident memory in megabytes, looked at every second. */
async function watchMemory({ programs }: Product): Promise<{ now(): Promise<number>; stop(): number[] }> {
  const worker = programs.find(({ kind }) => kind === "worker");
  const samples: number[] = [];
  const now = async () => {
    const text = await (await fetch(`${worker?.healthUrl}/metrics`)).text();
    const bytes = /^process_resident_memory_bytes ([\d.e+]+)/m.exec(text)?.[1];
    return Number(bytes) / 1_048_576;
  };
  const timer = setInterval(() => void now().then((value) => samples.push(value)), 1_000);
  return {
    now,
    stop() {
      clearInterval(timer);
      return samples;
    },
  };
}
