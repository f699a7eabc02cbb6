/** Temporal's development server for one machine: `npm start`, the demo, the benches and the tests. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "@temporalio/client";
import { findTemporalBinary } from "./binary.ts";
import { type Child, startChild, stopLeftover } from "./child.ts";
import { type DevSettings, readDevSettings } from "./devSettings.ts";
import { freePorts } from "./ports.ts";

const HOST = "127.0.0.1";
const START_MS = 60_000;
/**
 * A commit is appended to a log and survives the process; a power cut may cost the last ones, which the reconciler
 * heals. SQLite's default waits for the disk several times a commit: less than half as many workflows a second.
 */
const SQLITE_PRAGMAS = { journal_mode: "WAL", synchronous: "NORMAL" };

export type TemporalDevServer = {
  pid: number;
  /** host:port of the gRPC front end. */
  address: string;
  namespace: string;
  /** Undefined without the UI. */
  uiUrl: string | undefined;
  ports: TemporalPorts;
  /** Resolves when the server is gone, for whatever reason. */
  exited: Promise<string>;
  /** Clean stop; no process stays. */
  stop(): Promise<void>;
};

export type TemporalPorts = { grpc: number; ui: number | undefined };

export type TemporalOptions = {
  /** SQLite file with all workflows; without it they live in memory and end with the server. */
  dbFile?: string;
  logFile?: string;
  /** Serve the web UI (default true). */
  ui?: boolean;
  /** Any free ones by default. */
  ports?: TemporalPorts;
  /** Server settings beside those of `temporal-dev.yaml`. */
  dynamicConfig?: DevSettings["dynamic_config"];
  log?: (line: string) => void;
};

/**
 * Start the server with the settings of `temporal-dev.yaml` on free ports of 127.0.0.1 and wait until its namespace
 * answers. A server left behind over the same file by a killed launcher is stopped first.
 */
export async function startTemporal(options: TemporalOptions = {}): Promise<TemporalDevServer> {
  const settings = await readDevSettings();
  Object.assign(settings.dynamic_config, options.dynamicConfig);
  const program = await findTemporalBinary(options.log ? { log: options.log } : {});
  if (options.dbFile !== undefined) {
    await mkdir(dirname(options.dbFile), { recursive: true });
    await stopLeftover(`${options.dbFile}.pid`, options.dbFile);
  }
  for (let tries = 1; ; tries++) {
    const ports = options.ports ?? (await pickPorts(options.ui ?? true));
    const { orphanSignal, logFile } = { orphanSignal: "KILL" as const, logFile: options.logFile };
    const child = await startChild(program, serverArguments(settings, ports, options.dbFile), {
      orphanSignal,
      ...(logFile !== undefined && { logFile }),
    });
    if (options.dbFile !== undefined) await writeFile(`${options.dbFile}.pid`, `${child.pid}\n`);
    const address = `${HOST}:${ports.grpc}`;
    const ended = await untilServing(child, address, settings.namespace);
    if (ended === undefined) return running(child, address, settings.namespace, ports);
    if (tries === 3) throw new Error(`the Temporal server ended with ${ended}; see ${logFile ?? "its log"}`);
  }
}

function running(child: Child, address: string, namespace: string, ports: TemporalPorts): TemporalDevServer {
  const uiUrl = ports.ui === undefined ? undefined : `http://${HOST}:${ports.ui}`;
  return {
    pid: child.pid,
    address,
    namespace,
    uiUrl,
    ports,
    exited: child.exited,
    stop: () => child.stop("SIGTERM", 15_000),
  };
}

async function pickPorts(ui: boolean): Promise<TemporalPorts> {
  const [grpc, uiPort] = (await freePorts(2)) as [number, number];
  return { grpc, ui: ui ? uiPort : undefined };
}

function serverArguments(settings: DevSettings, ports: TemporalPorts, dbFile: string | undefined): string[] {
  const pairs = (flag: string, values: Record<string, unknown>, text: (value: unknown) => string) =>
    Object.entries(values).flatMap(([key, value]) => [flag, `${key}=${text(value)}`]);
  return [
    ...["server", "start-dev", "--ip", HOST, "--port", String(ports.grpc), "--namespace", settings.namespace],
    ...(ports.ui === undefined ? ["--headless"] : ["--ui-ip", HOST, "--ui-port", String(ports.ui)]),
    ...(dbFile === undefined ? [] : ["--db-filename", dbFile, ...pairs("--sqlite-pragma", SQLITE_PRAGMAS, String)]),
    ...pairs("--search-attribute", settings.search_attributes, String),
    ...pairs("--dynamic-config-value", settings.dynamic_config, JSON.stringify),
    ...["--ui-disable-news-fetch", "--log-level", "warn"],
  ];
}

/** Undefined once the namespace answers; how the server ended when it ended before. */
async function untilServing(child: Child, address: string, namespace: string): Promise<string | undefined> {
  let ended: string | undefined;
  void child.exited.then((how) => {
    ended = how;
  });
  const deadline = Date.now() + START_MS;
  while (ended === undefined) {
    if (await serves(address, namespace)) return undefined;
    if (Date.now() > deadline) {
      await child.stop("SIGTERM", 5_000);
      return `no answer within ${START_MS} ms`;
    }
    await sleep(50);
  }
  return ended;
}

async function serves(address: string, namespace: string): Promise<boolean> {
  try {
    const connection = await Connection.connect({ address, connectTimeout: 1_000 });
    try {
      await connection.workflowService.describeNamespace({ namespace });
      return true;
    } finally {
      await connection.close();
    }
  } catch {
    return false;
  }
}
