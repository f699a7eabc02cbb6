/** Counts the statements that each program sends while a bench looks away, by Postgres' own log. */
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Product } from "./product.ts";

/** When each statement of these `ms` was sent, in seconds since 1970, by the program's name in `pg_stat_activity`. */
export async function statementsDuring({ sql, databaseLog }: Product, ms: number): Promise<Map<string, number[]>> {
  const log = async (what: "all" | "none") => {
    await sql.unsafe(`alter system set log_statement = '${what}'`);
    await sql`select pg_reload_conf()`;
  };
  await log("all");
  // A backend reads the new setting before its next statement.
  await sleep(1_500);
  const before = (await readFile(databaseLog, "utf8")).length;
  await sleep(ms);
  const text = (await readFile(databaseLog, "utf8")).slice(before);
  await log("none");
  const sent = [...text.matchAll(/^([^|\n]*)\|([\d.]+)\|LOG: {2}(?:statement|execute)/gm)];
  return new Map(
    [...Map.groupBy(sent, ([, program]) => program as string)].map(([program, of]) => [
      program,
      of.map(([, , at]) => Number(at)),
    ]),
  );
}

/** Statements per second, counted between the first and the last, so that the window's edges add none. */
export function perSecond(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  const [first = 0, last = 0] = [sorted[0], sorted.at(-1)];
  return sorted.length < 2 ? 0 : (sorted.length - 1) / (last - first);
}
