/**
 * Every setting of the service, from the environment only. `settings/` holds the single list of them: names are the
 * specification's where it gives one, and `docs/operations.md` is checked against it by a test.
 */

import { readSetting } from "../../platform/settings/read.ts";
import type { Setting } from "../../platform/settings/setting.ts";
import { checkTogether } from "./checkTogether.ts";
import { EXCHANGE } from "./exchange.ts";
import { PEOPLE } from "./people.ts";
import { PROGRAMS } from "./programs.ts";
import { REACH } from "./reach.ts";
import { RUNS } from "./runs.ts";
import { STORES } from "./stores.ts";

const SETTINGS = { ...STORES, ...PROGRAMS, ...RUNS, ...PEOPLE, ...EXCHANGE, ...REACH } satisfies Tree;

interface Tree {
  // biome-ignore lint/suspicious/noExplicitAny: the table mixes value types; each entry keeps its own
  [key: string]: Setting<any> | { [key: string]: Setting<any> };
}

type Values<T> = { [K in keyof T]: T[K] extends Setting<infer V> ? V : Values<T[K]> };

/** Everything the API and the worker are told by their operator. Durations are milliseconds. */
export type Config = Values<typeof SETTINGS>;

/** What `npm run admin` may do without: a migration needs no Temporal cluster, no object store and no keys. */
type ServiceOnly = "temporal" | "objects" | "encryption";
export type AdminConfig = Omit<Config, ServiceOnly> & { [K in ServiceOnly]: Config[K] | undefined };

/** @throws ConfigError on the first setting that is missing or malformed. */
export function loadConfig(env?: NodeJS.ProcessEnv, program?: "api" | "worker"): Config;
export function loadConfig(env: NodeJS.ProcessEnv | undefined, program: "admin"): AdminConfig;
export function loadConfig(
  env: NodeJS.ProcessEnv = process.env,
  program: "api" | "worker" | "admin" = "api",
): Config | AdminConfig {
  const serviceOnly: readonly string[] = ["temporal", "objects", "encryption"] satisfies ServiceOnly[];
  const entries = Object.entries(SETTINGS as Tree).map(([key, node]) => {
    if (isSetting(node)) return [key, readSetting(node, env)];
    const names = Object.values(node).map((setting) => setting.name);
    const untouched = names.every((name) => (env[name] ?? "") === "");
    if (program === "admin" && serviceOnly.includes(key) && untouched) return [key, undefined];
    return [
      key,
      Object.fromEntries(Object.entries(node).map(([inner, setting]) => [inner, readSetting(setting, env)])),
    ];
  });
  return checkTogether(Object.fromEntries(entries));
}

/** The table's rows, flat and in order, for the operator's manual. */
export function settingsTable(): { name: string; what: string; unit: string; default: string }[] {
  return Object.values(SETTINGS as Tree)
    .flatMap((node) => (isSetting(node) ? [node] : Object.values(node)))
    .map(({ name, what, unit, fallback }) => ({
      name,
      what,
      unit,
      default: fallback === null ? "required" : (fallback ?? "") === "" ? "none" : String(fallback),
    }));
}

function isSetting(node: Tree[string]): node is Setting<unknown> {
  return "schema" in node && "fallback" in node;
}
