/** Where the API reads lists: at replicas, where the operator names any (docs/operations.md#a-read-replica). */
import type { Db, Reader } from "../../platform/db/client.ts";
import { ReadReplica } from "../../platform/db/replica.ts";
import type { Logger } from "../../platform/telemetry/log.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { Config } from "../config/settings.ts";

export type Replicas = {
  /** Absent: lists are read where everything else is. */
  lists?: Reader;
  explore: Reader;
  close(): Promise<void>;
};

type Pools = { db: Db; explore: Db };
type Telemetry = { log: Logger; metrics: Metrics };

/** None has to be there. */
export function openReplicas(config: Config["database"], { db, explore }: Pools, telemetry: Telemetry): Replicas {
  const main = open("main", config.readUrl, db, config, telemetry);
  const ofExplore = open("explore", config.exploreReadUrl, explore, config, telemetry);
  return {
    ...(main && { lists: main.reader }),
    explore: ofExplore?.reader ?? explore,
    close: async () => void (await Promise.all([main?.close(), ofExplore?.close()])),
  };
}

function open(
  database: "main" | "explore",
  url: string | undefined,
  primary: Db,
  { readPoolSize: max, statementMs }: Config["database"],
  { log, metrics }: Telemetry,
): ReadReplica | undefined {
  if (url === undefined) return undefined;
  const replica = new ReadReplica(url, {
    ...{ primary, max, statementMs, name: "svc-api-reads" },
    answered: (by) => metrics.replicaReads.inc({ database, by }),
    turned: (to, err) => {
      if (to === "primary") log.warn({ err, database }, "lists are read from the primary, not from its replica");
      else log.info({ database }, "lists are read from the replica again");
    },
  });
  metrics.scrape.before(async () => {
    const lag = await replica.lagSeconds().catch(() => null);
    metrics.replicaUp.set({ database }, lag === null ? 0 : 1);
    metrics.replicaLag.set({ database }, lag ?? Number.NaN);
    return "";
  });
  return replica;
}
