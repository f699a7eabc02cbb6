/** Two APIs and two workers, and organizations that share them. */
import type { Client } from "@temporalio/client";
import { backlogOf } from "../../src/orchestration/temporal/backlog.ts";
import { TASK_QUEUES } from "../../workflows/contract.ts";
import type { BenchContext } from "../harness/bench.ts";
import { openTemporalClient } from "../harness/histories.ts";
import { Person } from "../harness/person.ts";
import { type Product, startProduct } from "../harness/product.ts";
import type { Program } from "../harness/programs.ts";
import { type Fleet, openFleet } from "../harness/runner.ts";
import { type BenchOrg, seedOrg, WIDE_LIMITS } from "../harness/seed.ts";
import { LEASE_MS } from "./sizes.ts";

/** A person of it, and runners of its default group, each on another API. */
export type Tenant = { org: BenchOrg; person: Person; fleets: Fleet[] };

export type World = {
  context: BenchContext;
  product: Product;
  client: Client;
  workers: Program[];
  openTenant(): Promise<Tenant>;
};

/** A request of many decisions may take its time; how long is looked at. */
const PATIENCE_MS = 300_000;

export async function openWorld(context: BenchContext): Promise<World> {
  const product = await startProduct(context, {
    apis: 2,
    workers: 2,
    durable: true,
    env: {
      SVC_EGRESS_ALLOW: "127.0.0.1",
      RUNNER_ASSIGNMENT_TIMEOUT: `PT${LEASE_MS / 1_000}S`,
      // The first lapse ends the run, so that no later claim of the bench meets it again.
      RUNNER_MAX_ASSIGNMENT_ATTEMPTS: "1",
    },
  });
  const apis = product.programs.filter(({ kind }) => kind === "api").map(({ baseUrl }) => baseUrl);
  let turn = 0;
  return {
    context,
    product,
    client: await openTemporalClient(context, product),
    workers: product.programs.filter(({ kind }) => kind === "worker"),
    async openTenant() {
      const org = await seedOrg(product.sql, WIDE_LIMITS);
      const person = new Person(() => apis[turn++ % apis.length] as string, org, PATIENCE_MS);
      return { org, person, fleets: await Promise.all(apis.map((api) => openFleet(api, org.group, context.folder))) };
    },
  };
}

/** What has not been done yet, wherever it waits. */
export type Backlog = { messages: number; oldestTaskMs: number };

export async function backlog({ product, client }: Pick<World, "product" | "client">): Promise<Backlog> {
  const [row] = await product.sql`select count(*)::int as n from outbox`;
  const oldestTaskMs = await backlogOf(client, product.namespace, [TASK_QUEUES.core, TASK_QUEUES.notify]);
  return { messages: row?.n, oldestTaskMs };
}
