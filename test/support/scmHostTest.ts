/** A code host's API, scripted: what those tests begin with. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { AuthConfig } from "../../src/exchange/scm/authConfig.ts";
import type { RepositoryCalls } from "../../src/exchange/scm/host/client.ts";
import type { HostError } from "../../src/exchange/scm/host/errors.ts";
import { cloneCredentials } from "../../src/exchange/scm/source.ts";
import { makeOrg } from "./fixtures.ts";
import { makeIntegration, testHosts } from "./scm.ts";
import { APP_ID, ScriptedHost } from "./scriptedHost.ts";
import { databaseTest } from "./test.ts";

export const failure = (work: Promise<unknown>): Promise<HostError> =>
  work.then(
    () => Promise.reject(new Error("nothing was thrown")),
    (error) => error,
  );

const git = promisify(execFile);
export const test = databaseTest()
  .extend("host", { scope: "file" }, async ({}, { onCleanup }) => {
    const host = await ScriptedHost.start();
    onCleanup(() => host.stop());
    return host;
  })
  .extend("hosts", { scope: "file" }, ({}, { onCleanup }) => {
    const hosts = testHosts(1_000);
    onCleanup(() => hosts.egress.close());
    return hosts;
  })
  .extend("first", { scope: "file" }, ({ host }) => host.commit({ "network/main.tf": "1", "app/main.tf": "1" }))
  .extend("orgId", async ({ database }) => (await makeOrg(database)).orgId)
  .extend("world", ({ host, database, hosts, orgId, first }) => {
    const appAuth = (changes: Partial<AuthConfig> = {}): AuthConfig => ({
      kind: "app",
      app_id: APP_ID,
      private_key: host.appKey,
      ...changes,
    });

    async function calls(auth?: AuthConfig): Promise<RepositoryCalls> {
      const integration = await makeIntegration(database, hosts.keyring, orgId, host, auth && { auth });
      return hosts.hosts.repository(integration, host.repositoryKey);
    }
    const pull = (number: number, list: { filename: string }[]) =>
      host.setPull({ number, base: "main", head: `f${number}`, sha: first, files: list });

    async function cloned(credentials: { username: string; password: string } | null): Promise<string> {
      const folder = await mkdtemp(join(tmpdir(), "clone-"));
      const basic = credentials && Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64");
      const env = {
        PATH: process.env.PATH,
        HOME: folder,
        GIT_TERMINAL_PROMPT: "0",
        ...(basic && {
          GIT_CONFIG_COUNT: "1",
          GIT_CONFIG_KEY_0: "http.extraHeader",
          GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
        }),
      };
      try {
        await git("git", ["clone", "--quiet", host.repositoryUrl, join(folder, "c")], { env });
        return (await git("git", ["-C", join(folder, "c"), "rev-parse", "origin/main"], { env })).stdout.trim();
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    }
    const mint = () => cloneCredentials(database.db, hosts.hosts, { orgId, repositoryUrl: host.repositoryUrl });

    return { appAuth, calls, pull, cloned, mint };
  });
