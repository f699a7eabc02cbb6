/** The API as a process over a Postgres of its own: both can be killed, and come back where they were. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import postgres from "postgres";
import { freePorts } from "../../src/main/dev/ports.ts";
import { type EmbeddedPostgres, startPostgres } from "../../src/main/dev/postgres.ts";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import { connect, type Db } from "../../src/platform/db/client.ts";
import { migrate, migrateExplore } from "../../src/platform/db/migrate.ts";
import { openObjectStore } from "../../src/platform/objects/openStore.ts";
import { type SealedObjects, sealedObjects } from "../../src/platform/objects/sealed.ts";
import { type ApiProcess, startApiProcess } from "./apiProcess.ts";
import type { TestDatabase } from "./database.ts";

export type KillableService = {
  baseUrl: string;
  /** Bare SQL and the product's pool; they find the server again after it was killed. */
  database: Pick<TestDatabase, "sql" | "db" | "url">;
  objects: SealedObjects;
  kill(victim: "api" | "postgres"): Promise<void>;
  /** Starts again what was killed. */
  revive(): Promise<void>;
  close(): Promise<void>;
};

export async function startKillableService(folder: string): Promise<KillableService> {
  const [apiPort, pgPort] = (await freePorts(2)) as [number, number];
  const serve = () =>
    startPostgres({
      ...{ dataDir: join(folder, "postgres"), logFile: join(folder, "postgres.log"), port: pgPort },
      // Its processes are killed, the machine is not: what was handed to the kernel is there.
      settings: ["fsync=off"],
    });
  let server: EmbeddedPostgres | null = await serve();
  await server.createDatabase("deployments");
  const url = server.url("deployments");
  await migrate(url);
  await migrateExplore(url);
  const key = randomBytes(32);
  const objectsUrl = `file://${join(folder, "objects")}`;
  const env = {
    SVC_LISTEN: `127.0.0.1:${apiPort}`,
    SVC_DATABASE_URL: url,
    SVC_EXPLORE_DATABASE_URL: url,
    // Nobody is there, and nothing of this waits for anybody.
    SVC_TEMPORAL_ADDRESS: "127.0.0.1:9",
    SVC_OBJECTS_URL: objectsUrl,
    SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
    SVC_DATA_ENCRYPTION_KEY: key.toString("base64"),
    SVC_DISPATCH_RATE_LIMIT: "off",
  };
  const startApi = () => startApiProcess(env, join(folder, "api.log"));
  let api: ApiProcess | null = await startApi();
  const db: Db = connect(url, { max: 4, name: "test" });
  const sql = postgres(url, { max: 3, onnotice: () => {} });
  const kill = async (victim: "api" | "postgres") => {
    if (victim === "api") {
      await api?.stop("SIGKILL", 5_000);
      api = null;
    } else if (server !== null) {
      process.kill(server.pid, "SIGKILL");
      await server.exited;
      server = null;
    }
  };
  return {
    baseUrl: `http://127.0.0.1:${apiPort}`,
    database: { sql, db, url },
    objects: sealedObjects(openObjectStore(objectsUrl), createKeyring({ provider: "aes-256", key, previousKeys: [] })),
    kill,
    async revive() {
      server ??= await serve();
      api ??= await startApi();
    },
    async close() {
      await Promise.all([db.$client.end({ timeout: 5 }), sql.end({ timeout: 5 })]);
      await api?.stop("SIGTERM", 20_000);
      await server?.stop();
    },
  };
}
