/** What a fault run kills: two APIs behind one address, two workers, a durable Postgres and a Temporal on its file. */
import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import postgres from "postgres";
import { freePorts } from "../../src/main/dev/ports.ts";
import { startPostgres } from "../../src/main/dev/postgres.ts";
import { startTemporal } from "../../src/main/dev/temporal.ts";
import { migrate, migrateExplore } from "../../src/platform/db/migrate.ts";
import { startBalancer } from "../harness/balancer.ts";
import type { BenchContext } from "../harness/bench.ts";
import { openTemporalClient } from "../harness/histories.ts";
import { startPrograms } from "../harness/programs.ts";
import { startProxy, type TcpProxy } from "../harness/proxy.ts";
import type { KeyedGroup } from "../harness/rows.ts";
import { type Fleet, openFleet } from "../harness/runner.ts";
import { openWorkflows, untilAllClosed } from "../harness/settled.ts";
import { startRealTemporal } from "../harness/temporalServer.ts";
import { until } from "../harness/until.ts";
import type { Component } from "./chaos.ts";
import { killable } from "./killable.ts";

const run = promisify(execFile);

export type Installation = {
  baseUrl: string;
  /** Between the programs and their servers, and before the APIs, where a network was asked for. */
  network: TcpProxy[];
  /** Of what can be killed, by name: the first process of each. */
  pids(): Promise<ReadonlyMap<string, number>>;
  sql: postgres.Sql;
  components: Component[];
  fleet(group: KeyedGroup): Promise<Fleet>;
  /** Run a query; undefined while the database is away. */
  ask<T>(query: (sql: postgres.Sql) => Promise<T>): Promise<T | undefined>;
  /** The database's files as they are while its server is dead, which is a moment of its own. */
  backUp(): Promise<void>;
  /** Every program and the database die, and go on with what was backed up. */
  restore(): Promise<void>;
  /** Wait until the outbox is empty and every workflow has ended; the ids of those that have not after `ms`. */
  untilSettled(ms: number): Promise<string[]>;
};

export async function startInstallation(
  context: BenchContext,
  env: Record<string, string>,
  { withNetwork = false, server }: { withNetwork?: boolean; server?: string } = {},
): Promise<Installation> {
  const { folder } = context;
  const [databasePort, temporalPort] = (await freePorts(2)) as [number, number];
  const [data, backup] = [join(folder, "postgres"), join(folder, "postgres-backup")];
  const postmasterFile = join(data, "postmaster.pid");
  const database = await killable(context, "postgres", postmasterFile, () =>
    startPostgres({ dataDir: data, logFile: join(folder, "postgres.log"), port: databasePort }),
  );
  const temporal = await openTemporal(context, temporalPort, server);
  await database.first.createDatabase("faults");
  const databaseUrl = database.first.url("faults");
  await migrate(databaseUrl);
  await migrateExplore(databaseUrl);
  const sql = postgres(databaseUrl, { max: 3, connect_timeout: 3, onnotice: () => {} });
  context.closers.add(() => sql.end({ timeout: 5 }));
  const { address: temporalAddress, namespace } = temporal;
  const network: TcpProxy[] = [];
  const through = async (port: number) => {
    if (!withNetwork) return port;
    const proxy = await startProxy({ host: "127.0.0.1", port });
    context.closers.add(() => proxy.close());
    network.push(proxy);
    return proxy.port;
  };
  const programs = await startPrograms(context, {
    databaseUrl: databaseUrl.replace(`:${databasePort}/`, `:${await through(databasePort)}/`),
    temporalAddress: `127.0.0.1:${await through(Number(temporalAddress.split(":").at(-1)))}`,
    ...{ apis: 2, workers: 2, env },
  });
  const apis = programs.filter(({ kind }) => kind === "api").map(({ baseUrl }) => baseUrl);
  const balanced = await startBalancer(context, apis);
  const baseUrl = `http://127.0.0.1:${await through(Number(new URL(balanced).port))}`;
  const ofPrograms = programs.map(({ name, kill, start }) => ({ name, start, kill: () => kill().then(() => true) }));
  return {
    baseUrl,
    sql,
    network,
    async pids() {
      const servers = [
        ["postgres", await pidIn(postmasterFile)],
        ["temporal", await temporal.pid()],
      ] as const;
      return new Map([...servers, ...programs.map((program) => [program.name, program.pid()] as const)]);
    },
    components: [database.component, ...temporal.components, backendOf(sql), ...ofPrograms],
    fleet: (group) => openFleet(baseUrl, group, folder),
    ask: (query) => query(sql).catch(() => undefined),
    async backUp() {
      await database.component.kill();
      await run("cp", ["-a", data, backup]);
      await database.component.start();
    },
    async restore() {
      await Promise.all(programs.map((program) => program.kill()));
      await database.component.kill();
      await rm(data, { recursive: true });
      await run("cp", ["-a", backup, data]);
      await database.component.start();
      await Promise.all(programs.map((program) => program.start()));
    },
    async untilSettled(ms) {
      const client = await openTemporalClient(context, { temporalAddress, namespace });
      return untilAllClosed(client, sql, ms).then(
        () => [],
        () => openWorkflows(client),
      );
    },
  };
}

type Temporal = { address: string; namespace: string; pid(): Promise<number>; components: Component[] };

/** The development server on its file, or a real one on a Postgres of its own. */
async function openTemporal(context: BenchContext, port: number, server: string | undefined): Promise<Temporal> {
  const { folder, closers } = context;
  if (server !== undefined) {
    const { address, namespace, parts, stop } = await startRealTemporal(server, join(folder, "temporal"));
    closers.add(stop);
    return { address, namespace, pid: async () => parts[0]?.pid() ?? 0, components: parts };
  }
  const dbFile = join(folder, "temporal", "temporal.db");
  const { first, component } = await killable(context, "temporal", `${dbFile}.pid`, () =>
    startTemporal({ dbFile, logFile: join(folder, "temporal.log"), ports: { grpc: port, ui: undefined } }),
  );
  return { ...first, pid: () => pidIn(`${dbFile}.pid`), components: [component] };
}

/** A connection's process: the whole server starts anew when one of them is killed. */
function backendOf(sql: postgres.Sql): Component {
  return {
    name: "a backend of postgres",
    async kill() {
      const pids = await sql`
        select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`.catch(
        () => [],
      );
      const [victim] = [...pids].sort(() => Math.random() - 0.5);
      if (victim === undefined) return false;
      process.kill(victim.pid, "SIGKILL");
      return true;
    },
    start: () =>
      until("postgres to have recovered", 60_000, async () => (await sql`select 1`).length === 1, 100).then(),
  };
}

async function pidIn(file: string): Promise<number> {
  return Number.parseInt(await readFile(file, "utf8"), 10);
}
