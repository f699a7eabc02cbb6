/**
 * One round: deployments that plan and apply by themselves until their last workflow has closed, then as many no-op
 * workflows.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@temporalio/client";
import { workflowIds } from "../../workflows/ids.ts";
import { startBaselineWorker } from "../harness/baselineWorker.ts";
import type { BenchContext } from "../harness/bench.ts";
import { CODE_HOST_ENV, integrateHost, openCodeHost } from "../harness/codeHost.ts";
import { eachAtOnce } from "../harness/eachAtOnce.ts";
import { countHistory, openTemporalClient } from "../harness/histories.ts";
import { startMachines } from "../harness/machines.ts";
import { processTimes } from "../harness/processTime.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { insertStacks } from "../harness/rows.ts";
import { untilAllClosed } from "../harness/settled.ts";
import { noOps } from "./noOps.ts";

/** Where Temporal keeps its workflows. */
export type Store = "memory" | "file";

export const RUNNERS = 10;
const AT_ONCE = 10;
const RUNS_EACH = 2;
const SETTLE_MS = 120_000;

export const PARTS = ["temporal", "worker", "api", "postgres"] as const;
export type Cpu = Record<(typeof PARTS)[number], number>;
export type Round = { aMinute: number; noOpsAMinute: number; tasks: number; cpu: Cpu | null };
/** One installation, and the stacks that are deployed on it. */
export type Side = { product: Product; client: Client; slugs: string[]; failed: Promise<never> };

export async function startSide(context: BenchContext, store: Store, deployments: number): Promise<Side> {
  const folder = join(context.folder, store);
  await mkdir(folder);
  const own = { ...context, folder };
  const product = await startProduct(own, { durable: true, temporalOnFile: store === "file", env: CODE_HOST_ENV });
  const { url, repositoryUrl: repository_url } = await openCodeHost(own);
  await integrateHost(product.person, url);
  const client = await openTemporalClient(own, product);
  await startBaselineWorker(own, product);
  const stacks = await insertStacks(product.sql, product.org.orgId, deployments, {
    auto_approve_mode: "auto",
    repository_url,
  });
  const { failed } = startMachines(own, product.fleet, { count: RUNNERS });
  return { product, client, slugs: stacks.map(({ slug }) => slug), failed };
}

export async function takeRound({ product, client, slugs }: Side): Promise<Round> {
  const before = await processTimes(product.processes);
  const started = performance.now();
  const ids = await deploymentsOf(product, slugs);
  await untilAllClosed(client, product.sql, SETTLE_MS);
  const ms = performance.now() - started;
  const after = await processTimes(product.processes);
  const workflows = await workflowsOf(product, ids);
  let tasks = 0;
  await eachAtOnce(workflows, AT_ONCE, async (id) => {
    tasks += (await countHistory(client, id)).workflowTasks;
  });
  const noOpsStarted = performance.now();
  await noOps(client, workflows.length, tasks, AT_ONCE);
  return {
    aMinute: aMinute(slugs.length, ms),
    noOpsAMinute: aMinute(slugs.length, performance.now() - noOpsStarted),
    tasks: tasks / slugs.length,
    cpu: before && after && cpuEach(before, after, slugs.length),
  };
}

async function deploymentsOf({ person }: Product, slugs: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  await eachAtOnce(slugs, AT_ONCE, async (slug) => {
    ids.push((await person.create(slug, { mode: "plan" })).id);
  });
  return ids;
}

/** Of each deployment and of the leases of its runs. @throws when one was not applied */
async function workflowsOf({ sql }: Product, ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ status: string; runs: string[] }[]>`
    select d.status, array_agg(r.id) as runs from deployments d join runs r on r.deployment_id = d.id
    where d.id = any(${ids as string[]}) and r.status = 'success' group by d.id, d.status`;
  const good = rows.filter(({ status, runs }) => status === "finished" && runs.length === RUNS_EACH);
  if (good.length !== ids.length) throw new Error(`${good.length} of ${ids.length} were applied`);
  return [...ids.map(workflowIds.deployment), ...rows.flatMap(({ runs }) => runs.map(workflowIds.lease))];
}

function aMinute(count: number, ms: number): number {
  return (count * 60_000) / ms;
}

function cpuEach(before: Cpu, after: Cpu, count: number): Cpu {
  return Object.fromEntries(PARTS.map((part) => [part, (after[part] - before[part]) / count])) as Cpu;
}
