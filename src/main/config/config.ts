/** Reads every setting of the service from the environment, and refuses what is missing or malformed. */
import { readSetting } from "../../platform/settings/read.ts";
import { defaultText, type Setting } from "../../platform/settings/setting.ts";
import { checkTogether } from "./checkTogether.ts";
import { type AdminConfig, type Config, SETTINGS, type ServiceOnly, type Tree } from "./settings.ts";

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
    .map((setting) => {
      const { name, what, unit } = setting;
      return { name, what, unit, default: defaultText(setting) };
    });
}

function isSetting(node: Tree[string]): node is Setting<unknown> {
  return "schema" in node && "fallback" in node;
}
