/** The product's own programs as processes of their own, with the settings an operator would give them. */
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Child, startChild } from "../../src/main/dev/child.ts";
import { freePorts } from "../../src/main/dev/ports.ts";
import { bundleWorkflows } from "../../src/orchestration/temporal/bundle.ts";
import type { BenchContext } from "./bench.ts";
import { until } from "./until.ts";

export type ProgramKind = "api" | "worker";

export type Program = {
  name: string;
  kind: ProgramKind;
  /** Where it answers: routes of an API, health of both. */
  baseUrl: string;
  /** Where `/readyz` and `/metrics` are. */
  healthUrl: string;
  /** Of the process that was started last. */
  pid(): number;
  /** Start it, again after it was killed, and wait until it is ready. */
  start(): Promise<void>;
  /** `kill -9`. */
  kill(): Promise<void>;
  stop(): Promise<void>;
};

export type ProgramsOptions = {
  databaseUrl: string;
  temporalAddress: string;
  apis?: number;
  workers?: number;
  /** Settings beside the addresses. */
  env?: Record<string, string>;
  /** Another version of the product: where its sources are, and what its programs are called. */
  version?: { root: string; name: string };
};

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * On a busy machine, with the servers below it being killed, a program may take minutes to find everything in order.
 */
const START_MS = 180_000;

/** Start APIs and workers and wait until all are ready. They are stopped with the bench. */
export async function startPrograms(context: BenchContext, options: ProgramsOptions): Promise<Program[]> {
  const { apis = 1, workers = 1, version } = options;
  const bundle = join(context.folder, "workflows.js");
  // Another version bundles its own.
  if (version === undefined) await writeFile(bundle, (await bundleWorkflows()).code);
  const ports = await freePorts(apis + workers + apis);
  const env = {
    PATH: process.env.PATH ?? "",
    SVC_DATABASE_URL: options.databaseUrl,
    SVC_EXPLORE_DATABASE_URL: options.databaseUrl,
    SVC_TEMPORAL_ADDRESS: options.temporalAddress,
    SVC_OBJECTS_URL: `file://${join(context.folder, "objects")}`,
    SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
    SVC_DATA_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    ...(version === undefined && { SVC_WORKFLOW_BUNDLE: bundle }),
    SVC_LOG_LEVEL: "warn",
    ...options.env,
  };
  const programs = ports.slice(0, apis + workers).map((port, i) => {
    const kind = i < apis ? ("api" as const) : ("worker" as const);
    const name = `${version ? `${version.name}-` : ""}${kind}-${kind === "api" ? i + 1 : i - apis + 1}`;
    const file = join(version?.root ?? ROOT, "src", "main", `${kind}.ts`);
    return program(context, { name, kind, file, ports: [port, ports[apis + workers + i] ?? port], env });
  });
  for (const each of programs) context.closers.add(() => each.stop());
  await Promise.all(programs.map((each) => each.start()));
  return programs;
}

type ProgramOptions = {
  name: string;
  kind: ProgramKind;
  file: string;
  ports: [port: number, healthPort: number];
  env: Record<string, string>;
};

function program(
  { folder }: BenchContext,
  { name, kind, file, ports: [port, healthPort], env }: ProgramOptions,
): Program {
  const listen =
    kind === "api"
      ? { SVC_LISTEN: `127.0.0.1:${port}`, SVC_API_HEALTH_LISTEN: `127.0.0.1:${healthPort}` }
      : { SVC_WORKER_LISTEN: `127.0.0.1:${port}` };
  const baseUrl = `http://127.0.0.1:${port}`;
  const healthUrl = `http://127.0.0.1:${healthPort}`;
  const logFile = join(folder, `${name}.log`);
  let child: Child | undefined;
  return {
    name,
    kind,
    baseUrl,
    healthUrl,
    pid() {
      if (child === undefined) throw new Error(`${name} was not started`);
      return child.pid;
    },
    async start() {
      const options = { logFile, env: { ...env, ...listen }, orphanSignal: "KILL" as const };
      const started = await startChild(process.execPath, [file], options);
      child = started;
      let ended: string | undefined;
      void started.exited.then((how) => {
        ended = how;
      });
      await until(`${name} to be ready (see ${logFile})`, START_MS, async () => {
        if (ended !== undefined) return true;
        return (await fetch(`${healthUrl}/readyz`)).ok;
      });
      if (ended !== undefined && child === started) throw new Error(`${name} ended with ${ended}; see ${logFile}`);
    },
    async kill() {
      await child?.stop("SIGKILL");
    },
    async stop() {
      await child?.stop("SIGTERM", 30_000);
    },
  };
}
