/** What a fault run kills: two APIs behind one address, two workers, a durable Postgres and a Temporal on its file. */
import { join } from "node:path";
import postgres from "postgres";
import { freePorts } from "../../src/main/dev/ports.ts";
import { startPostgres } from "../../src/main/dev/postgres.ts";
import { startTemporal } from "../../src/main/dev/temporal.ts";
import { migrate, migrateExplore } from "../../src/platform/db/migrate.ts";
import { startBalancer } from "../harness/balancer.ts";
import type { BenchContext } from "../harness/bench.ts";
import { openTemporalClient } from "../harness/histories.ts";
import { startPrograms } from "../harness/programs.ts";
import type { KeyedGroup } from "../harness/rows.ts";
import { type Fleet, openFleet } from "../harness/runner.ts";
import { openWorkflows, untilAllClosed } from "../harness/settled.ts";
import type { Component } from "./chaos.ts";
import { killable } from "./killable.ts";

export type Installation = {
  baseUrl: string;
  sql: postgres.Sql;
  components: Component[];
  fleet(group: KeyedGroup): Promise<Fleet>;
  /** Run a query; undefined while the database is away. */
  ask<T>(query: (sql: postgres.Sql) => Promise<T>): Promise<T | undefined>;
  /** Wait until the outbox is empty and every workflow has ended; the ids of those that have not after `ms`. */
  untilSettled(ms: number): Promise<string[]>;
};

export async function startInstallation(context: BenchContext, env: Record<string, string>): Promise<Installation> {
  const { folder } = context;
  const [databasePort, temporalPort] = (await freePorts(2)) as [number, number];
  const database = await killable(context, "postgres", join(folder, "postgres", "postmaster.pid"), () =>
    startPostgres({ dataDir: join(folder, "postgres"), logFile: join(folder, "postgres.log"), port: databasePort }),
  );
  const dbFile = join(folder, "temporal", "temporal.db");
  const temporal = await killable(context, "temporal", `${dbFile}.pid`, () =>
    startTemporal({ dbFile, logFile: join(folder, "temporal.log"), ports: { grpc: temporalPort, ui: undefined } }),
  );
  await database.first.createDatabase("faults");
  const databaseUrl = database.first.url("faults");
  await migrate(databaseUrl);
  await migrateExplore(databaseUrl);
  const sql = postgres(databaseUrl, { max: 3, connect_timeout: 3, onnotice: () => {} });
  context.closers.add(() => sql.end({ timeout: 5 }));
  const { address: temporalAddress, namespace } = temporal.first;
  const programs = await startPrograms(context, { databaseUrl, temporalAddress, apis: 2, workers: 2, env });
  const apis = programs.filter(({ kind }) => kind === "api").map(({ baseUrl }) => baseUrl);
  const baseUrl = await startBalancer(context, apis);
  const ofPrograms = programs.map(({ name, kill, start }) => ({ name, start, kill: () => kill().then(() => true) }));
  return {
    baseUrl,
    sql,
    components: [database.component, temporal.component, ...ofPrograms],
    fleet: (group) => openFleet(baseUrl, group, folder),
    ask: (query) => query(sql).catch(() => undefined),
    async untilSettled(ms) {
      const client = await openTemporalClient(context, { temporalAddress, namespace });
      return untilAllClosed(client, sql, ms).then(
        () => [],
        () => openWorkflows(client),
      );
    },
  };
}
