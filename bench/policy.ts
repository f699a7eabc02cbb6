/**
 * Policies that look at a plan of 10,000 changes: how long and with how much memory, and what another organization's
 * person sees of it while one such evaluation follows the other.
 */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { policyOf } from "../src/core/policies/bundle.ts";
import type { InputFacts } from "../src/core/policies/input.ts";
import { evaluate } from "../src/core/policies/thread/evaluate.ts";
import type { Evaluable } from "../src/core/policies/thread/jobs.ts";
import { type Answered, type Neighbour, openNeighbour } from "./burst/neighbour.ts";
import { openWorld, type World } from "./burst/world.ts";
import { atLeast, atMost, type Bench, type BenchContext, type BenchResult, exactly, rounded } from "./harness/bench.ts";
import { COMMIT, insertStacks } from "./harness/rows.ts";
import { shareOf } from "./harness/sizes.ts";
import { percentile, summary } from "./harness/statistics.ts";
import { CHANGES, COUNTS, manyChanges } from "./policy/plan.ts";

const part = shareOf("BENCH_POLICY_SHARE");
const ROUNDS = part(20);
const CONFIRMS = part(300);
const CONFIRM_EVERY_MS = 200;
/** One evaluation after the other, each a second after the one before began. */
const EVALUATE_EVERY_MS = 1_000;
const EXAMPLE = new URL("../test/support/policies/deploy.tar.gz", import.meta.url);
const RULES: Evaluable = {
  rules: { protected_types: ["aws_db_*"], max_destroys: 5, windows: null, attention: [] },
};

export const bench: Bench = {
  what: "policies on a plan of 10,000 changes: time and memory, and another organization's confirms beside them",
  limitSeconds: 900,
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const alone = await evaluations(context);
  const product = await onProduct(context);
  return {
    figures: { alone: alone.figures, product: product.figures },
    bars: { ...alone.bars, ...product.bars },
  };
}

/** From the list as it is stored to the answer, the thread's start included. */
async function evaluations(context: BenchContext): Promise<BenchResult> {
  const changes = manyChanges();
  const facts = {
    time: "2026-11-30T10:00:00Z",
    org: { id: "o", name: "o" },
    plan: { has_changes: true, counts: COUNTS, gaps: [] },
  };
  const compiled = await policyOf(readFileSync(EXAMPLE));
  const measure = async (policy: Evaluable) => {
    const ms: number[] = [];
    let most = 0;
    for (let round = 0; round < ROUNDS; round++) {
      global.gc?.();
      const before = process.memoryUsage.rss();
      const watch = setInterval(() => {
        most = Math.max(most, process.memoryUsage.rss() - before);
      }, 5);
      const began = performance.now();
      const [result] = await evaluate({ facts: facts as unknown as InputFacts, changes, policies: [policy] });
      ms.push(performance.now() - began);
      clearInterval(watch);
      if (result?.said.error !== null) throw new Error(`the policy was not evaluated: ${result?.said.error}`);
    }
    return { ms, mib: most / 1_048_576 };
  };
  await measure(RULES);
  const rego = await measure(compiled);
  const rules = await measure(RULES);
  context.say(
    `Rego ${rounded(percentile(rego.ms, 0.5))} ms, ${rounded(rego.mib)} MiB; rules ${rounded(percentile(rules.ms, 0.5))} ms`,
  );
  return {
    figures: {
      changes: CHANGES,
      bytes: changes.length,
      rego: { ms: summary(rego.ms), most_mib: rounded(rego.mib) },
      rules: { ms: summary(rules.ms), most_mib: rounded(rules.mib) },
    },
    bars: {
      rego_p50_ms: atMost(percentile(rego.ms, 0.5), 400),
      rules_p50_ms: atMost(percentile(rules.ms, 0.5), 400),
      rego_most_mib: atMost(rego.mib, 150),
      rules_most_mib: atMost(rules.mib, 150),
    },
  };
}

async function onProduct(context: BenchContext): Promise<BenchResult> {
  const world = await openWorld(context);
  const again = await deniedPlan(world);
  const neighbour = await openNeighbour(world);
  await confirmsOf(neighbour, part(100));
  const alone = await confirmsOf(neighbour, CONFIRMS);
  const stopping = new AbortController();
  const evaluating = evaluateOn(again, stopping.signal);
  const beside = await confirmsOf(neighbour, CONFIRMS);
  stopping.abort();
  const done = await evaluating;
  const to = (share: number) => percentile(times(beside), share) / percentile(times(alone), share);
  context.say(`${done} evaluations; confirms p99 ${rounded(percentile(times(beside), 0.99))} ms`);
  return {
    figures: {
      evaluations: done,
      confirms_alone_ms: summary(times(alone)),
      confirms_beside_ms: summary(times(beside)),
    },
    bars: {
      evaluations: atLeast(done, part(40)),
      confirm_p99_to_alone: atMost(to(0.99), 1.2),
      answers_not_200: exactly([...alone, ...beside].filter(({ status }) => status !== 200).length, 0),
    },
  };
}

/** A plan of 10,000 changes that a compiled policy denies. @returns what has it looked at once more, to its end */
async function deniedPlan({ context, product, openTenant }: World): Promise<() => Promise<void>> {
  const { org, person, fleets } = await openTenant();
  const [fleet] = fleets;
  const { wasm, entrypoint } = await policyOf(readFileSync(EXAMPLE));
  const [policy] = await product.sql`
    insert into policies (org_id, name, enforcement, modes, version, last_version)
    values (${org.orgId}, 'example', 'mandatory', '{plan}', 1, 1) returning id`;
  await product.sql`
    insert into policy_versions (policy_id, version, kind, digest, wasm, entrypoint, created_by, created_by_kind)
    values (${policy?.id}, 1, 'bundle', 'd', ${wasm}, ${entrypoint}, 'bench', 'operator')`;
  const [stack] = await insertStacks(product.sql, org.orgId, 1);
  const slug = stack?.slug as string;
  const { id } = await person.create(slug, { mode: "plan", commit_sha: COMMIT });
  const { assignment } = (await fleet?.group.poll(20, context.signal)) ?? { assignment: null };
  if (!fleet || assignment === null) throw new Error("no runner got the plan");
  const runner = await fleet.runner(assignment);
  await runner.ready();
  await runner.accept();
  const file = join(context.folder, "changes");
  await writeFile(file, manyChanges());
  await runner.putArtifact("plan", await fleet.planFile());
  await runner.putArtifact("changes", file);
  await runner.done({ status: "success", plan_summary: { has_changes: true, counts: COUNTS, gaps: [] } });
  const settled = async () => {
    const [gate] = await product.sql`select code from deployment_gates where deployment_id = ${id}`;
    return gate?.code === "policy_denied";
  };
  const wait = async () => {
    while (!(await settled())) await sleep(20);
  };
  await wait();
  return async () => {
    await person.call("POST", `stacks/${slug}/deployments/${id}/policy-evaluations`, {});
    await wait();
  };
}

async function evaluateOn(again: () => Promise<void>, stop: AbortSignal): Promise<number> {
  let done = 0;
  while (!stop.aborted) {
    const pace = sleep(EVALUATE_EVERY_MS);
    await again();
    done += 1;
    await pace;
  }
  return done;
}

const times = (confirms: readonly Answered[]) => confirms.map(({ ms }) => ms);

/** A person who confirms at a steady pace. */
async function confirmsOf(neighbour: Neighbour, count: number): Promise<Answered[]> {
  await neighbour.prepare(count);
  const confirms: Promise<Answered>[] = [];
  for (let i = 0; i < count; i++) {
    confirms.push(neighbour.confirm());
    await sleep(CONFIRM_EVERY_MS);
  }
  return Promise.all(confirms);
}
