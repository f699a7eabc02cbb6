/** Throw-away servers of a bench: a Postgres with migrated databases, a Temporal development server. */
import { join } from "node:path";
import postgres from "postgres";
import { type EmbeddedPostgres, startPostgres } from "../../src/main/dev/postgres.ts";
import { startTemporal } from "../../src/main/dev/temporal.ts";
import { connect, type Db } from "../../src/platform/db/client.ts";
import { migrate, migrateExplore } from "../../src/platform/db/migrate.ts";
import type { BenchContext } from "./bench.ts";
import { type RealTemporal, startRealTemporal } from "./temporalServer.ts";

export type BenchDatabase = {
  url: string;
  /** The product's own pool: what is measured. */
  db: Db;
  /** Bare SQL for arranging, looking and baselines. */
  sql: postgres.Sql;
};

export type BenchPostgres = {
  server: EmbeddedPostgres;
  logFile: string;
  /** A migrated database with a pool of its own. */
  database(name: string, pool?: number): Promise<BenchDatabase>;
};

/**
 * Unless `durable`, commits do not wait for the disk: a ratio would look better on a slow disk, where both sides mostly
 * wait, than it is. Autovacuum stays on, as in production.
 */
export async function benchPostgres({ folder, closers }: BenchContext, durable = false): Promise<BenchPostgres> {
  const logFile = join(folder, "postgres.log");
  const server = await startPostgres({
    dataDir: join(folder, "postgres"),
    logFile,
    fast: !durable,
    // Each line of the log begins with the program that caused it and the time, for benches that count statements
    // there.
    settings: ["shared_buffers=256MB", "max_wal_size=2GB", "log_line_prefix=%a|%n|"],
  });
  closers.add(() => server.stop());
  return {
    server,
    logFile,
    async database(name, pool = 10) {
      await server.createDatabase(name);
      const url = server.url(name);
      await migrate(url);
      await migrateExplore(url);
      const db = connect(url, { max: pool, name: "svc-bench" });
      const sql = postgres(url, { max: 4, onnotice: () => {}, connection: { application_name: "bench-support" } });
      closers.add(() => Promise.all([db.$client.end({ timeout: 5 }), sql.end({ timeout: 5 })]));
      return { url, db, sql };
    },
  };
}

/** What of a Temporal server a bench uses; its CPU seconds are those of `pids`. */
type BenchTemporal = Pick<RealTemporal, "pids" | "address" | "namespace">;

/**
 * Workflows live in memory: the server's own file would be what is measured. With `onFile` it is, as with `npm start`.
 * With `BENCH_TEMPORAL_SERVER` it is a real server on a Postgres of its own.
 */
export async function benchTemporal({ folder, closers, say }: BenchContext, onFile = false): Promise<BenchTemporal> {
  const programs = process.env.BENCH_TEMPORAL_SERVER;
  if (programs !== undefined && programs !== "") {
    say("Temporal: a real server on a Postgres of its own");
    const server = await startRealTemporal(programs, join(folder, "temporal"));
    closers.add(() => server.stop());
    return server;
  }
  const server = await startTemporal({
    ui: false,
    logFile: join(folder, "temporal.log"),
    ...(onFile && { dbFile: join(folder, "temporal", "temporal.db") }),
  });
  closers.add(() => server.stop());
  return { ...server, pids: [server.pid] };
}
