/** What a soak looks at every so often. */
import { readFile } from "node:fs/promises";
import type { Client } from "@temporalio/client";
import type { Product } from "../harness/product.ts";
import { openWorkflows } from "../harness/settled.ts";
import type { Sample } from "./judge.ts";

/** Rows come and go there: what they leave behind has to be used again. */
const HOT = ["outbox", "run_liveness", "dispatch_orgs", "org_tasks", "runners"] as const;
/** Workflows whose histories are measured in one look. */
const HISTORIES = 20;

export async function look({ sql, processes }: Product, client: Client, began: number): Promise<Sample> {
  const memory: Record<string, number> = {};
  for (const [name, pids] of Object.entries(processes)) {
    memory[name] = (await Promise.all(pids.map(residentMb))).reduce((sum, mb) => sum + mb, 0);
  }
  const [row] = await sql`
    select (select count(*)::int from pg_stat_activity where datname = current_database()) as connections,
      pg_database_size(current_database())::float8 as bytes, (select count(*)::int from deployments) as deployments`;
  const tables = await sql`
    select relname as name, pg_total_relation_size(oid)::float8 as bytes from pg_class
    where relkind in ('r', 'p') and relname = any(${[...HOT]})`;
  const open = await openWorkflows(client);
  return {
    atMs: performance.now() - began,
    memory,
    hot: Object.fromEntries(tables.map(({ name, bytes }) => [name, bytes])),
    connections: row?.connections,
    bytes: row?.bytes,
    deployments: row?.deployments,
    openWorkflows: open.length,
    longestHistory: await longestOf(client, open.slice(0, HISTORIES)),
  };
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1_024;
}

/** In events. One that closes meanwhile counts as none. */
async function longestOf(client: Client, ids: readonly string[]): Promise<number> {
  const lengths = await Promise.all(
    ids.map((id) =>
      client.workflow
        .getHandle(id)
        .describe()
        .then(
          ({ historyLength }) => historyLength,
          () => 0,
        ),
    ),
  );
  return Math.max(0, ...lengths);
}
