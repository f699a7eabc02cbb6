/** The two servers below a local installation, kept running at the same addresses until stopped. */
import type { DataFolder } from "./dataFolder.ts";
import { freePorts, isFree } from "./ports.ts";
import { type EmbeddedPostgres, startPostgres } from "./postgres.ts";
import { type Supervised, supervise } from "./supervise.ts";
import { startTemporal, type TemporalDevServer } from "./temporal.ts";

const PORTS = "ports.json";
const MAIN_DATABASE = "deployments";
const EXPLORE_DATABASE = "explore";

export type Ports = { api: number; postgres: number; temporal: number; temporalUi: number; identityProvider: number };

/**
 * The ports of the last start where they are still free, else other free ones: bookmarks of the UI stay good, and a
 * runner that outlived a killed service finds it again.
 * @param api the wanted port of the API; 0 for any
 * @throws when that one is taken.
 */
export async function choosePorts(data: DataFolder, api: number): Promise<Ports> {
  if (api !== 0 && !(await isFree(api))) throw new Error(`port ${api} is taken; --port takes another, 0 any free one`);
  const known = JSON.parse((await data.read(PORTS)) ?? "{}") as Partial<Ports>;
  const fresh = (await freePorts(5)) as [number, number, number, number, number];
  const keep = async (port: number | undefined, other: number) =>
    port !== undefined && (await isFree(port)) ? port : other;
  const ports = {
    api: api === 0 ? await keep(known.api, fresh[0]) : api,
    postgres: await keep(known.postgres, fresh[1]),
    temporal: await keep(known.temporal, fresh[2]),
    temporalUi: await keep(known.temporalUi, fresh[3]),
    identityProvider: await keep(known.identityProvider, fresh[4]),
  };
  await data.write(PORTS, JSON.stringify(ports));
  return ports;
}

export type Databases = Supervised & { url: string; exploreUrl: string };

export async function servePostgres(data: DataFolder, port: number, log: (line: string) => void): Promise<Databases> {
  const start = () => startPostgres({ dataDir: data.file("postgres"), logFile: data.log("postgres"), port });
  const first: EmbeddedPostgres = await start();
  const { stop } = supervise("Postgres", first, start, log);
  try {
    await first.createDatabase(MAIN_DATABASE);
    await first.createDatabase(EXPLORE_DATABASE);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop, url: first.url(MAIN_DATABASE), exploreUrl: first.url(EXPLORE_DATABASE) };
}

export type TemporalService = Supervised & Pick<TemporalDevServer, "address" | "namespace"> & { uiUrl: string };

export async function serveTemporal(
  data: DataFolder,
  ports: Ports,
  log: (line: string) => void,
): Promise<TemporalService> {
  const options = {
    dbFile: data.file("temporal", "temporal.db"),
    logFile: data.log("temporal"),
    ports: { grpc: ports.temporal, ui: ports.temporalUi },
    log,
  };
  const first = await startTemporal(options);
  const { stop } = supervise("Temporal", first, () => startTemporal(options), log);
  return { stop, address: first.address, namespace: first.namespace, uiUrl: first.uiUrl ?? "" };
}
