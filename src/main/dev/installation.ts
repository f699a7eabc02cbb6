/** Everything on one machine over one data folder: servers, service, runner. */
import { migrate, migrateExplore } from "../../platform/db/migrate.ts";
import { Closers } from "./closers.ts";
import { buildConsole } from "./consoleBuild.ts";
import { startCoordinator, stopEphemeralRunners } from "./coordinator.ts";
import { DataFolder } from "./dataFolder.ts";
import { type Engine, findEngine } from "./engine.ts";
import { environmentOf } from "./firstCalls.ts";
import { type FirstOrganization, firstOrganization } from "./firstOrganization.ts";
import { type LocalSignIn, startLocalSignIn } from "./localSignIn.ts";
import { choosePorts, type Ports, servePostgres, serveTemporal } from "./servers.ts";
import { startService } from "./service.ts";
import { type Supervised, supervise } from "./supervise.ts";
import { wallSentence } from "./wall.ts";

/** What `ready.json` holds. */
export type Ready = {
  base_url: string;
  org_id: string;
  admin_token: string;
  runner_group_id: string;
  temporal_address: string;
  temporal_namespace: string;
  temporal_ui_url: string;
  /** What the runner of this installation runs; a stack asks for it by its field `tool`. */
  tool: Engine["tool"];
  database_url: string;
  explore_database_url: string;
};

export type Installation = {
  ready: Ready;
  organization: Pick<FirstOrganization, "orgName" | "runsPerHour">;
  signIn: Pick<LocalSignIn, "url" | "firstLink" | "password">;
  engine: Engine | undefined;
  /** Stop everything, newest first, leaving no process. A second call interrupts runs that are still at work. */
  stop(): Promise<void>;
};

export type InstallationOptions = { data: string; port: number; log: (line: string) => void };

const READY = "ready.json";
/** The same for a shell. */
const ENVIRONMENT = "env";
const RUNNER_READY = "runner-ready.json";

/**
 * Start, or start again over the same folder: what was there goes on.
 * @throws when a part does not come up; the others have been stopped by then.
 */
export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const data = new DataFolder(options.data);
  await data.take();
  const closers = new Closers();
  closers.add(() => data.release());
  try {
    await data.remove(READY);
    await data.remove(ENVIRONMENT);
    return await startParts(data, options, closers);
  } catch (error) {
    await closers.close();
    throw error;
  }
}

async function startParts(
  data: DataFolder,
  { port, log }: InstallationOptions,
  closers: Closers,
): Promise<Installation> {
  const ports = await choosePorts(data, port);
  const { databases, temporal, engine } = await startServers(data, ports, closers, log);
  const addresses = { port: ports.api, databases, temporal, identityProviderPort: ports.identityProvider };
  const { baseUrl, publicBaseUrl } = await startService(data, addresses, closers);
  const organization = await firstOrganization(data, databases.url);
  for (const wrong of organization.mended) log(`the printed token did not work: ${wrong}; it works again`);
  const signIn = await startLocalSignIn(data, {
    port: ports.identityProvider,
    baseUrl: publicBaseUrl,
    databaseUrl: databases.url,
    orgId: organization.orgId,
  });
  closers.add(() => signIn.stop());
  const runner = await startRunner(data, { baseUrl, organization, engine }, closers, log);
  const ready: Ready = {
    base_url: baseUrl,
    org_id: organization.orgId,
    admin_token: organization.adminToken,
    runner_group_id: organization.runnerGroupId,
    temporal_address: temporal.address,
    temporal_namespace: temporal.namespace,
    temporal_ui_url: temporal.uiUrl,
    tool: engine?.tool ?? "terraform",
    database_url: databases.url,
    explore_database_url: databases.exploreUrl,
  };
  await data.write(ENVIRONMENT, environmentOf(ready));
  closers.add(() => data.remove(ENVIRONMENT));
  await data.write(READY, `${JSON.stringify(ready, null, 2)}\n`);
  closers.add(() => data.remove(READY));
  let stopping: Promise<void> | undefined;
  return {
    ready,
    organization,
    signIn,
    engine,
    stop() {
      if (stopping) void runner.stop();
      stopping ??= closers.close();
      return stopping;
    },
  };
}

/** Postgres, migrated, and Temporal come up side by side; each that did is stopped when the other does not. */
async function startServers(data: DataFolder, ports: Ports, closers: Closers, log: (line: string) => void) {
  const started = <S extends Supervised>(server: S): S => {
    closers.add(() => server.stop());
    return server;
  };
  const parts = [
    servePostgres(data, ports.postgres, log)
      .then(started)
      .then(async (databases) => {
        await migrate(databases.url);
        await migrateExplore(databases.exploreUrl);
        return databases;
      }),
    serveTemporal(data, ports, log).then(started),
    buildConsole(log),
    findEngine({ log }).catch((error: Error) => {
      log(`${error.message}; runs will fail until then`);
      return undefined;
    }),
  ] as const;
  await Promise.allSettled(parts);
  const [databases, temporal, , engine] = await Promise.all(parts);
  return { databases, temporal, engine };
}

type RunnerParts = { baseUrl: string; organization: FirstOrganization; engine: Engine | undefined };

async function startRunner(
  data: DataFolder,
  { baseUrl, organization, engine }: RunnerParts,
  closers: Closers,
  log: (line: string) => void,
): Promise<Supervised> {
  const { runnerGroupId: groupId, keyFile, keyValid } = organization;
  if (!keyValid) log(`the runner group's key was rotated: put the new one into ${keyFile}, it is watched`);
  const workDir = data.file("runner");
  let said: string | undefined;
  const onWall = (isolation: string) => {
    if (isolation !== said) log(wallSentence(isolation));
    said = isolation;
  };
  const start = () =>
    startCoordinator({
      serviceUrl: baseUrl,
      groupId,
      keyFile,
      workDir,
      logFile: data.log("runner"),
      engine,
      dataFolder: data.file("."),
      readyFile: data.file(RUNNER_READY),
      onWall,
    });
  closers.add(() => stopEphemeralRunners(workDir));
  const runner = supervise("the runner", await start(), start, log);
  closers.add(() => runner.stop());
  return runner;
}
