/** An embedded Postgres 18 for one machine: `npm start`, the demo, the benches and the tests. */
import { randomBytes } from "node:crypto";
import { chown, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { type Child, startChild, stopLeftover } from "./child.ts";
import { freePorts } from "./ports.ts";
import { postgresBinaries } from "./postgresBinaries.ts";
import { openToOthers, postgresUser, type SystemUser } from "./postgresUser.ts";

const HOST = "127.0.0.1";
const SUPERUSER = "postgres";
/** Recovery after a crash replays the write-ahead log first; seconds as a rule. */
const START_MS = 120_000;

export type EmbeddedPostgres = {
  pid: number;
  port: number;
  /** Connection address of a database of this server, with the password. */
  url(database: string): string;
  createDatabase(name: string): Promise<void>;
  /** Resolves when the server is gone, for whatever reason. */
  exited: Promise<string>;
  /** Clean stop: open sessions are ended, a checkpoint is written, no process stays. */
  stop(): Promise<void>;
};

export type PostgresOptions = {
  /** Made and initialized when absent. */
  dataDir: string;
  logFile?: string;
  /** Any free one by default. */
  port?: number;
  /** Trade safety against power loss for speed: for data that is thrown away. */
  fast?: boolean;
  /** Further server settings, as `name=value`. */
  settings?: readonly string[];
};

/**
 * Start the server on a free port of 127.0.0.1, over an existing data directory too: a server left behind by a killed
 * launcher is stopped first, and one that was killed itself recovers.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  const binaries = await postgresBinaries();
  const user = await postgresUser();
  await mkdir(dirname(dataDir), { recursive: true });
  const readAnything =
    user !== undefined && !((await openToOthers(dirname(dataDir))) && (await openToOthers(binaries.postgres)));
  const account: Account = { ...(user && { user }), readAnything };
  await initialize(binaries.initdb, dataDir, account);
  await stopLeftover(join(dataDir, "postmaster.pid"), dataDir, { signal: "SIGINT" });
  // None runs over this directory now. In a container process ids begin anew at each start, so the noted one is soon
  // somebody else's, and Postgres would refuse to start next to it.
  await rm(join(dataDir, "postmaster.pid"), { force: true });
  const password = await readFile(passwordFile(dataDir), "utf8");
  const started = await serve(binaries.postgres, dataDir, password, account, options);
  return { ...started, createDatabase: (name) => createDatabase(started.url("postgres"), name) };
}

type Account = { user?: SystemUser; readAnything: boolean };

const passwordFile = (dataDir: string) => `${dataDir}.password`;

/** Make the data directory under another name and move it into place, so that a half-made one is never started. */
async function initialize(initdb: string, dataDir: string, account: Account): Promise<void> {
  if (await exists(join(dataDir, "PG_VERSION"))) return;
  const fresh = `${dataDir}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  if (account.user) await chown(fresh, account.user.uid, account.user.gid);
  const password = randomBytes(24).toString("base64url");
  await writeFile(passwordFile(dataDir), password, { mode: 0o600 });
  const folder = await mkdtemp(join(tmpdir(), "initdb-"));
  const handedOver = join(folder, "password");
  try {
    await writeFile(handedOver, password, { mode: 0o600 });
    if (account.user) {
      for (const path of [folder, handedOver]) await chown(path, account.user.uid, account.user.gid);
    }
    const logFile = join(folder, "log");
    const flags = ["--auth=scram-sha-256", `--username=${SUPERUSER}`, `--pwfile=${handedOver}`, "--encoding=UTF8"];
    const locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--no-sync"];
    const child = await startChild(initdb, [`--pgdata=${fresh}`, ...flags, ...locale], {
      ...account,
      cwd: "/",
      logFile,
    });
    const end = await child.exited;
    if (end !== "code 0") throw new Error(`initdb ended with ${end}: ${(await readFile(logFile, "utf8")).trim()}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  await rename(fresh, dataDir);
}

type Serving = Omit<EmbeddedPostgres, "createDatabase">;

async function serve(
  program: string,
  dataDir: string,
  password: string,
  account: Account,
  { fast = false, settings = [], logFile, port: fixedPort }: PostgresOptions,
): Promise<Serving> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    const port = fixedPort ?? ((await freePorts(1)) as [number])[0];
    const url = (database: string) => `postgres://${SUPERUSER}:${password}@${HOST}:${port}/${database}`;
    const args = ["-D", dataDir, "-p", String(port), ...flags(fast, settings)];
    const child = await startChild(program, args, {
      ...account,
      cwd: "/",
      orphanSignal: "INT",
      ...(logFile !== undefined && { logFile }),
    });
    const ended = await untilServing(child, url("postgres"), deadline);
    if (ended === undefined) {
      return { pid: child.pid, port, url, exited: child.exited, stop: () => stopServer(child) };
    }
    // The port was taken meanwhile, or the killed server's last children still hold its shared memory: both pass.
    if (Date.now() > deadline - START_MS + 15_000)
      throw new Error(`Postgres ended with ${ended}; see ${logFile ?? "its log"}`);
    await sleep(250);
  }
}

function flags(fast: boolean, extra: readonly string[]): string[] {
  const settings = [
    `listen_addresses=${HOST}`,
    "unix_socket_directories=",
    "max_connections=200",
    "shared_buffers=128MB",
    "wal_level=minimal",
    "max_wal_senders=0",
    "timezone=UTC",
    "log_timezone=UTC",
    ...(fast ? ["fsync=off", "synchronous_commit=off", "full_page_writes=off"] : []),
    ...extra,
  ];
  return settings.flatMap((setting) => ["-c", setting]);
}

/** Undefined once the server answers a query; how it ended when it ended before. */
async function untilServing(child: Child, url: string, deadline: number): Promise<string | undefined> {
  let ended: string | undefined;
  void child.exited.then((how) => {
    ended = how;
  });
  while (ended === undefined) {
    const sql = postgres(url, { max: 1, connect_timeout: 5, onnotice: () => {}, idle_timeout: 1 });
    try {
      await sql`select 1`;
      return undefined;
    } catch {
      if (Date.now() > deadline) {
        await stopServer(child);
        return `no answer within ${START_MS} ms`;
      }
      await sleep(25);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }
  return ended;
}

/** Fast shutdown; should it hang, immediate shutdown, which takes every session process with it. */
async function stopServer(child: Child): Promise<void> {
  const impatient = setTimeout(() => process.kill(child.pid, "SIGQUIT"), 20_000);
  await child.stop("SIGINT", 30_000);
  clearTimeout(impatient);
}

async function createDatabase(adminUrl: string, name: string): Promise<void> {
  const sql = postgres(adminUrl, { max: 1, onnotice: () => {} });
  try {
    const [found] = await sql`select 1 from pg_database where datname = ${name}`;
    if (!found) await sql`create database ${sql(name)}`;
  } finally {
    await sql.end();
  }
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
