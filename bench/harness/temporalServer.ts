/**
 * The real Temporal server, one process of all its services, on a Postgres of its own: what an installation runs.
 * `BENCH_TEMPORAL_SERVER` names a folder with its programs `temporal-server` and `temporal-sql-tool`, built from the Go
 * module `go.temporal.io/server` (`cmd/server` and `cmd/tools/sql`).
 */
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Connection } from "@temporalio/client";
import proto from "@temporalio/proto";
import { stringify } from "yaml";
import { startChild } from "../../src/main/dev/child.ts";
import { type DevSettings, readDevSettings } from "../../src/main/dev/devSettings.ts";
import { freePorts } from "../../src/main/dev/ports.ts";
import { type EmbeddedPostgres, startPostgres } from "../../src/main/dev/postgres.ts";
import { until } from "./until.ts";

const SERVICES = ["frontend", "history", "matching", "worker"] as const;
const PLUGIN = "postgres12";
/** Workflows of a day, as an installation keeps them at least. */
const RETENTION_SECONDS = 86_400;
const { IndexedValueType } = proto.temporal.api.enums.v1;

/** What of a server a bench uses. */
export type RealTemporal = {
  pids: number[];
  address: string;
  namespace: string;
  stop(): Promise<void>;
  /** The server and its Postgres, each of which can be killed with -9 and started again at the same place. */
  parts: { name: string; pid(): number; kill(): Promise<boolean>; start(): Promise<void> }[];
};

/** Starts it and waits until its namespace can be used. */
export async function startRealTemporal(programs: string, folder: string): Promise<RealTemporal> {
  const settings = await readDevSettings();
  await mkdir(folder, { recursive: true });
  const [databasePort = 0, ...ports] = await freePorts(SERVICES.length * 2 + 1);
  const startDatabase = () =>
    startPostgres({ dataDir: join(folder, "postgres"), logFile: join(folder, "postgres.log"), port: databasePort });
  let postgres = await startDatabase();
  await makeSchema(join(programs, "temporal-sql-tool"), postgres, "temporal");
  await makeSchema(join(programs, "temporal-sql-tool"), postgres, "visibility");
  const config = join(folder, "temporal.yaml");
  const dynamicConfig = join(folder, "dynamic.yaml");
  await writeFile(dynamicConfig, stringify(dynamicConfigOf(settings)));
  await writeFile(config, stringify(configOf(postgres, ports, dynamicConfig)), { mode: 0o600 });
  const startServer = () =>
    startChild(join(programs, "temporal-server"), ["--config-file", config, "--allow-no-auth", "start"], {
      logFile: join(folder, "temporal.log"),
      orphanSignal: "KILL",
    });
  let server = await startServer();
  const address = `127.0.0.1:${ports[0]}`;
  const stop = () => server.stop("SIGTERM", 15_000).finally(() => postgres.stop());
  const serves = () =>
    until("the Temporal server", 120_000, () => makeNamespace(address, settings), 250).then(() => {});
  try {
    await serves();
  } catch (error) {
    await stop();
    throw error;
  }
  const parts: RealTemporal["parts"] = [
    {
      name: "temporal",
      pid: () => server.pid,
      kill: () => server.stop("SIGKILL").then(() => true),
      async start() {
        server = await startServer();
        await serves();
      },
    },
    {
      name: "postgres of temporal",
      pid: () => postgres.pid,
      async kill() {
        process.kill(postgres.pid, "SIGKILL");
        await postgres.exited;
        return true;
      },
      async start() {
        postgres = await startDatabase();
        await serves();
      },
    },
  ];
  return { pids: [server.pid, postgres.pid], address, namespace: settings.namespace, stop, parts };
}

async function makeSchema(tool: string, postgres: EmbeddedPostgres, database: string): Promise<void> {
  await postgres.createDatabase(database);
  const { hostname, port, username, password } = new URL(postgres.url(database));
  const where = ["--endpoint", hostname, "--port", port, "--user", username, "--database", database];
  const call = (...args: string[]) =>
    promisify(execFile)(tool, ["--plugin", PLUGIN, ...where, ...args], {
      env: { ...process.env, SQL_PASSWORD: decodeURIComponent(password) },
    });
  await call("setup-schema", "--version", "0.0");
  await call("update-schema", "--schema-name", `postgresql/v12/${database}`);
}

function configOf(postgres: EmbeddedPostgres, ports: readonly number[], dynamicConfig: string): object {
  const rpcOf = (index: number) => ({
    rpc: { grpcPort: ports[index * 2], membershipPort: ports[index * 2 + 1], bindOnLocalHost: true },
  });
  return {
    log: { stdout: true, level: "warn" },
    persistence: {
      defaultStore: "default",
      visibilityStore: "visibility",
      numHistoryShards: 4,
      datastores: { default: store(postgres, "temporal", 20), visibility: store(postgres, "visibility", 10) },
    },
    global: { membership: { maxJoinDuration: "30s", broadcastAddress: "127.0.0.1" } },
    services: Object.fromEntries(SERVICES.map((service, index) => [service, rpcOf(index)])),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: "active",
      currentClusterName: "active",
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: "frontend",
          rpcAddress: `127.0.0.1:${ports[0]}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: "noop" },
    dynamicConfigClient: { filepath: dynamicConfig, pollInterval: "10s" },
  };
}

function store(postgres: EmbeddedPostgres, database: string, maxConns: number): object {
  const { host, username, password } = new URL(postgres.url(database));
  const sql = { pluginName: PLUGIN, databaseName: database, connectAddr: host, connectProtocol: "tcp" };
  const account = { user: username, password: decodeURIComponent(password) };
  return { sql: { ...sql, ...account, maxConns, maxIdleConns: maxConns, maxConnLifetime: "1h" } };
}

/** The server's own form: a list of values by constraint under each name. */
function dynamicConfigOf({ dynamic_config }: DevSettings): object {
  return Object.fromEntries(Object.entries(dynamic_config).map(([name, value]) => [name, [{ value }]]));
}

/** Namespace and search attributes; true once workflows could start in it. */
async function makeNamespace(address: string, { namespace, search_attributes }: DevSettings): Promise<boolean> {
  const connection = await Connection.connect({ address, connectTimeout: 1_000 });
  try {
    const known = await connection.workflowService.describeNamespace({ namespace }).catch(() => undefined);
    if (known === undefined) {
      const workflowExecutionRetentionPeriod = { seconds: RETENTION_SECONDS as never };
      await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
      return false;
    }
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    if (Object.keys(search_attributes).every((name) => name in customAttributes)) return true;
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(
        Object.entries(search_attributes).map(([name, type]) => [
          name,
          IndexedValueType[`INDEXED_VALUE_TYPE_${type.toUpperCase()}` as keyof typeof IndexedValueType],
        ]),
      ),
    });
    return false;
  } finally {
    await connection.close();
  }
}
