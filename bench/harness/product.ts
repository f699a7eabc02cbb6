/** The whole product on throw-away servers: Postgres, Temporal, an API and a worker as processes of their own. */
import type postgres from "postgres";
import type { BenchContext } from "./bench.ts";
import { Person } from "./person.ts";
import { type Program, type ProgramsOptions, startPrograms } from "./programs.ts";
import { type Fleet, openFleet } from "./runner.ts";
import { type BenchOrg, limitsText, type OrgLimits, seedOrg, WIDE_LIMITS } from "./seed.ts";
import { benchPostgres, benchTemporal } from "./servers.ts";

export type Product = {
  baseUrl: string;
  databaseUrl: string;
  databaseLog: string;
  temporalAddress: string;
  namespace: string;
  programs: Program[];
  /** The first process of each part; its children count as it does. */
  processes: Record<"temporal" | "worker" | "api" | "postgres", number[]>;
  /** Bare SQL, for arranging and looking. */
  sql: postgres.Sql;
  org: BenchOrg;
  person: Person;
  fleet: Fleet;
};

export type ProductOptions = Pick<ProgramsOptions, "apis" | "workers" | "env"> & {
  limits?: OrgLimits;
  /** Postgres' commits wait for the disk, as in production. */
  durable?: boolean;
  /** Temporal keeps its workflows in a file, as with `npm start`. */
  temporalOnFile?: boolean;
};

export async function startProduct(context: BenchContext, options: ProductOptions = {}): Promise<Product> {
  const { limits = WIDE_LIMITS, durable, temporalOnFile, ...choices } = options;
  context.say(limitsText(limits));
  const servers = [benchPostgres(context, durable), benchTemporal(context, temporalOnFile)] as const;
  const [postgres, temporal] = await Promise.all(servers);
  const { url: databaseUrl, sql } = await postgres.database("bench", 1);
  const org = await seedOrg(sql, limits);
  const programs = await startPrograms(context, { databaseUrl, temporalAddress: temporal.address, ...choices });
  const { baseUrl } = programs[0] as Program;
  return {
    baseUrl,
    databaseUrl,
    databaseLog: postgres.logFile,
    temporalAddress: temporal.address,
    namespace: temporal.namespace,
    programs,
    processes: {
      temporal: temporal.pids,
      worker: pidsOf(programs, "worker"),
      api: pidsOf(programs, "api"),
      postgres: [postgres.server.pid],
    },
    sql,
    org,
    person: new Person(() => baseUrl, org),
    fleet: await openFleet(baseUrl, org.group, context.folder),
  };
}

function pidsOf(programs: readonly Program[], kind: Program["kind"]): number[] {
  return programs.flatMap((program) => (program.kind === kind ? [program.pid()] : []));
}
