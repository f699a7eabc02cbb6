/**
 * Every setting of the service. The tables beside this file are the single list of them: names are the field's where it
 * has one, and a test checks `docs/operations.md` against it.
 */
import type { Setting } from "../../platform/settings/setting.ts";
import { EXCHANGE } from "./exchange.ts";
import { PEOPLE } from "./people.ts";
import { PROGRAMS } from "./programs.ts";
import { REACH } from "./reach.ts";
import { RUNS } from "./runs.ts";
import { STORES } from "./stores.ts";

export const SETTINGS = { ...STORES, ...PROGRAMS, ...RUNS, ...PEOPLE, ...EXCHANGE, ...REACH } satisfies Tree;

export interface Tree {
  // biome-ignore lint/suspicious/noExplicitAny: the table mixes value types; each entry keeps its own
  [key: string]: Setting<any> | { [key: string]: Setting<any> };
}

type Values<T> = { [K in keyof T]: T[K] extends Setting<infer V> ? V : Values<T[K]> };

/** Everything the API and the worker are told by their operator. Durations are milliseconds. */
export type Config = Values<typeof SETTINGS>;

/** What `npm run admin` may do without: a migration needs no Temporal cluster, no object store and no keys. */
export type ServiceOnly = "temporal" | "objects" | "encryption";
export type AdminConfig = Omit<Config, ServiceOnly> & { [K in ServiceOnly]: Config[K] | undefined };
