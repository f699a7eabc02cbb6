import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import type { RunSettings } from "../config/config.ts";
import { writeCloudProfiles } from "./cloudProfiles.ts";
import { useOf } from "./engineVariables.ts";
import { privateCache } from "./pluginCache.ts";

/** What an engine may see of the runner's own environment: no RUNNER_* setting, no credential of the machine. */
const PASSED = [
  ["PATH", "LANG", "LC_ALL", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR"],
  ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"],
].flat();

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export interface EngineEnvironment {
  variables: Record<string, string>;
  /** Names of the context that were left out: malformed, or reserved by the runner. */
  ignored: string[];
}

/**
 * The engine's whole environment: a few variables of the machine, the run context's, then those the runner decides
 * itself. A context's variable goes before one that leads to cloud credentials or an identity. Home and temporary
 * directory are the run's own, so that no login of the machine's user leaks into a stack; they are in `place`, since
 * `pathexpand` shows them to a configuration.
 */
export async function engineEnvironment(
  context: Pick<RunContext, "environment" | "runtime_credentials">,
  settings: Pick<RunSettings, "engineEnv" | "cliConfigFile" | "pluginCacheDir" | "pluginCacheShared">,
  directory: string,
  place: string,
  identities: Record<string, string> = {},
): Promise<EngineEnvironment> {
  const home = path.join(place, "home");
  const temporary = path.join(place, "tmp");
  // An apply has those that its plan left.
  await mkdir(home, { recursive: true, mode: 0o700 });
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  const cache = await pluginCache(settings, place);
  const reserved = new Map(
    Object.entries({
      CHECKPOINT_DISABLE: "1",
      TF_IN_AUTOMATION: "1",
      TF_INPUT: "0",
      TF_CLI_CONFIG_FILE: settings.cliConfigFile ?? (await ownCliConfig(directory)),
      ...(cache === null ? {} : { TF_PLUGIN_CACHE_DIR: cache }),
    }),
  );
  const variables = new Map([
    ["HOME", home],
    ["TMPDIR", temporary],
  ]);
  for (const name of [...PASSED, ...settings.engineEnv]) {
    const value = process.env[name];
    if (value !== undefined) variables.set(name, value);
  }
  const given = [
    ...Object.entries(await writeCloudProfiles(context, directory)),
    ...Object.entries(identities),
    ...context.environment.map(({ name, value }) => [name, value] as const),
  ];
  const ignored: string[] = [];
  for (const [name, value] of given) {
    if (!NAME.test(name) || reserved.has(name) || useOf(name) === "runner" || value.includes("\0")) ignored.push(name);
    else variables.set(name, value);
  }
  return { variables: Object.fromEntries([...variables, ...reserved]), ignored };
}

async function pluginCache(
  { pluginCacheDir, pluginCacheShared }: Pick<RunSettings, "pluginCacheDir" | "pluginCacheShared">,
  place: string,
): Promise<string | null> {
  if (pluginCacheDir === undefined) return null;
  // At a path of the lane: what `init` of a plan linked to it is there at its apply too.
  if (pluginCacheShared === true) return privateCache(pluginCacheDir, place);
  await mkdir(pluginCacheDir, { recursive: true });
  return pluginCacheDir;
}

async function ownCliConfig(directory: string): Promise<string> {
  const file = path.join(directory, "cli.tfrc");
  await writeFile(file, "disable_checkpoint = true\n", { mode: 0o600 });
  return file;
}
