/** A Postgres that can be copied, and its streaming replica: made of the data folder while the server runs. */
import { execFile } from "node:child_process";
import { chown, copyFile, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import postgres from "postgres";
import { type EmbeddedPostgres, startPostgres } from "../../src/main/dev/postgres.ts";

/** Commits wait for the journal, as with an operator: what is acknowledged is in it. */
const REPLICATED = ["fsync=off", "wal_level=replica", "max_wal_senders=4", "max_connections=100"];

export type Standby = {
  url(database: string): string;
  pid(): number;
  /** Every statement it was sent by programs of this name, in order. */
  statementsOf(program: string): Promise<string[]>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export function startPrimary(dataDir: string): Promise<EmbeddedPostgres> {
  return startPostgres({ dataDir, logFile: `${dataDir}.log`, settings: REPLICATED });
}

/** @param from the data folder of the primary */
export async function startStandby(primary: EmbeddedPostgres, from: string, dataDir: string): Promise<Standby> {
  await copyRunning(primary, from, dataDir);
  const { hostname, port, username, password } = new URL(primary.url("postgres"));
  const logFile = `${dataDir}.log`;
  const options = {
    dataDir,
    logFile,
    settings: [
      ...REPLICATED,
      `primary_conninfo=host=${hostname} port=${port} user=${username} password=${password}`,
      "max_standby_streaming_delay=0",
      "wal_retrieve_retry_interval=100ms",
      "log_statement=all",
      "log_line_prefix=%a|",
    ],
  };
  let server = await startPostgres(options);
  return {
    url: (database) => server.url(database),
    pid: () => server.pid,
    async statementsOf(program) {
      const lines = (await readFile(logFile, "utf8")).split(/\n(?=[^\s|]*\|)/);
      return lines.filter((line) => line.startsWith(`${program}|`) && /LOG: {2}(?:execute|statement)/.test(line));
    },
    async start() {
      server = await startPostgres({ ...options, port: server.port });
    },
    stop: () => server.stop(),
  };
}

async function copyRunning(primary: EmbeddedPostgres, from: string, to: string): Promise<void> {
  const sql = postgres(primary.url("postgres"), { max: 1, onnotice: () => {} });
  try {
    await sql`select pg_backup_start('standby', true)`;
    await promisify(execFile)("cp", ["-a", from, to]);
    const [backup] = await sql`select labelfile from pg_backup_stop(false)`;
    await Promise.all(["postmaster.pid", "postmaster.opts"].map((name) => rm(join(to, name), { force: true })));
    const { uid, gid } = await stat(from);
    for (const [name, text] of [
      ["backup_label", backup?.labelfile],
      ["standby.signal", ""],
    ]) {
      await writeFile(join(to, name), text);
      await chown(join(to, name), uid, gid);
    }
    await copyFile(`${from}.password`, `${to}.password`);
  } finally {
    await sql.end();
  }
}
