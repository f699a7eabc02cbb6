/**
 * Where a stack keeps its state, as the identity of a resource: the most common way to read another stack is its state
 * (`terraform_remote_state`), and so a stack manages its own state and reads that of others.
 */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { dataDirectory } from "../engine/engineVariables.ts";
import { isObject, markAt } from "../output/sensitiveValues.ts";
import type { CloudIdentity } from "./resourceIdentity.ts";

/** The address of a stack's own state; no resource of the engine has such a one. */
export const OWN_STATE = "terraform.state";
export const STATE_PROVIDER = "terraform.io/builtin/terraform";
export const OWN_STATE_TYPE = "terraform_state";
/** The data source that reads the state of another. */
export const REMOTE_STATE_TYPE = "terraform_remote_state";

/** What tells where a state is, and never a credential. */
const PLACE_KEYS = [
  "address",
  "bucket",
  "container_name",
  "hostname",
  "key",
  "namespace",
  "organization",
  "path",
  "prefix",
  "schema_name",
  "secret_suffix",
  "storage_account_name",
  "workspace_key_prefix",
] as const;
const MAX_CHARACTERS = 1_024;

/**
 * @param marks what is sensitive in the configuration, in its shape
 * @returns null when the configuration does not tell, or tells a place that is another in each run
 */
export function stateLocation(
  backend: unknown,
  config: unknown,
  marks: unknown,
  workspace: unknown,
): CloudIdentity | null {
  if (typeof backend !== "string" || !isObject(config) || marks === true) return null;
  // A `cloud` block and the backend `remote` are two words for one place.
  const type = backend === "cloud" ? "remote" : backend;
  const place = PLACE_KEYS.flatMap((key) => {
    const value = config[key];
    return typeof value === "string" && value !== "" && markAt(marks, key) !== true ? [[key, withoutLogin(value)]] : [];
  });
  const named = type === "remote" ? workspaceName(config.workspaces) : null;
  if (named !== null) place.push(["workspace", named]);
  else if (typeof workspace === "string" && workspace !== "" && workspace !== "default")
    place.push(["workspace", workspace]);
  if (place.length === 0) return null;
  if (type === "local" && (typeof config.path !== "string" || !path.isAbsolute(config.path))) return null;
  const identity = place.map(([key, value]) => `${key}=${value}`).join(" ");
  if (identity.length > MAX_CHARACTERS || /\p{Cc}/u.test(identity) || !identity.isWellFormed()) return null;
  return { realm: `${STATE_PROVIDER} ${type} state`, identity };
}

/** Where the state of the stack in `cwd` is, as `init` wrote it down; null when it is nowhere that lasts. */
export async function ownStateLocation(cwd: string, env: Record<string, string>): Promise<CloudIdentity | null> {
  try {
    const directory = dataDirectory(cwd, env);
    const { backend } = JSON.parse(await readFile(path.join(directory, "terraform.tfstate"), "utf8"));
    const selected = await readFile(path.join(directory, "environment"), "utf8").catch(() => "");
    return stateLocation(backend.type, withEnvironment(backend, env), null, env.TF_WORKSPACE || selected.trim());
  } catch {
    return null;
  }
}

/** What a backend's configuration leaves to the environment. */
const FROM_ENVIRONMENT = new Map([
  ["cloud", { organization: "TF_CLOUD_ORGANIZATION", hostname: "TF_CLOUD_HOSTNAME" }],
  ["http", { address: "TF_HTTP_ADDRESS" }],
]);

function withEnvironment(backend: { type: string; config: Record<string, unknown> }, env: Record<string, string>) {
  const names = Object.entries(FROM_ENVIRONMENT.get(backend.type) ?? {});
  return {
    ...backend.config,
    ...Object.fromEntries(names.map(([key, name]) => [key, backend.config[key] ?? env[name]])),
  };
}

/** The block of a backend is a list of one, and an object in what reads it. */
function workspaceName(workspaces: unknown): string | null {
  const block: unknown = Array.isArray(workspaces) ? workspaces[0] : workspaces;
  return isObject(block) && typeof block.name === "string" && block.name !== "" ? block.name : null;
}

function withoutLogin(value: string): string {
  return value.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, "$1");
}
