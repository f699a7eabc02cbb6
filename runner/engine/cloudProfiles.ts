/**
 * The run's cloud credentials as the tools expect them: files in a private directory of the run, and the variables
 * that lead to them. They are removed when the engine is through, and with the run's directory whatever happens to
 * the runner.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { RunFailed } from "../service/outcome.ts";

type Credentials = RunContext["runtime_credentials"][number];

const DIRECTORY = "cloud";

/** Writes what the context has and returns the variables of the engine's environment. @throws RunFailed */
export async function writeCloudProfiles(
  { runtime_credentials }: Pick<RunContext, "runtime_credentials">,
  directory: string,
): Promise<Record<string, string>> {
  if (runtime_credentials.length === 0) return {};
  const folder = path.join(directory, DIRECTORY);
  await mkdir(folder, { mode: 0o700 });
  const variables: Record<string, string> = {};
  for (const credentials of runtime_credentials) Object.assign(variables, await writeOne(credentials, folder));
  return variables;
}

/** Nothing of it is left; removing what is not there is success. */
export async function removeCloudProfiles(directory: string): Promise<void> {
  await rm(path.join(directory, DIRECTORY), { recursive: true, force: true });
}

function writeOne(credentials: Credentials, folder: string): Promise<Record<string, string>> {
  switch (credentials.provider_type) {
    case "cloud_a":
      return writeAws(credentials, folder);
    case "cloud_b":
      return writeGoogle(credentials, folder);
    default:
      throw new RunFailed(`This runner's version does not know the cloud provider ${credentials.provider_type}.`);
  }
}

/**
 * One profile per role; a role named `default` serves an unprofiled use. The config file is there, and empty, so that
 * none of the machine is read. Without a role `default` a tool must not fall back to the machine's own role.
 */
async function writeAws({ profiles }: Credentials, folder: string): Promise<Record<string, string>> {
  const sections = Object.entries(profiles).map(
    ([name, profile]) =>
      `[${line(name)}]\n${Object.entries(profile)
        .map(([key, value]) => `${line(key)} = ${line(value)}\n`)
        .join("")}`,
  );
  const credentials = await privateFile(folder, "aws-credentials", sections.join("\n"));
  const config = await privateFile(folder, "aws-config", "");
  return { AWS_SHARED_CREDENTIALS_FILE: credentials, AWS_CONFIG_FILE: config, AWS_EC2_METADATA_DISABLED: "true" };
}

/** The token for the engine's provider by value, and for gcloud by file. */
async function writeGoogle({ profiles }: Credentials, folder: string): Promise<Record<string, string>> {
  const token = line(profiles.default?.access_token ?? "");
  const file = await privateFile(folder, "google-access-token", token);
  return { GOOGLE_OAUTH_ACCESS_TOKEN: token, CLOUDSDK_AUTH_ACCESS_TOKEN_FILE: file };
}

async function privateFile(folder: string, name: string, content: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, content, { mode: 0o600, flag: "wx" });
  return file;
}

/** A value that would begin a line of its own could make a profile that nobody granted. */
function line(text: string): string {
  if (text === "" || /[\r\n\0]/.test(text)) throw new RunFailed("The service sent malformed cloud credentials.");
  return text;
}
