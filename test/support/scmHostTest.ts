/** The client of code hosts, in front of a scripted one: what those tests begin with. */
import type { AuthConfig } from "../../src/exchange/scm/authConfig.ts";
import type { HostError } from "../../src/exchange/scm/host/errors.ts";
import type { OpenedRepository } from "../../src/exchange/scm/host/repositoryHost.ts";
import { cloneCredentials } from "../../src/exchange/scm/source.ts";
import { makeOrg } from "./fixtures.ts";
import { makeIntegration, testHosts } from "./scm.ts";
import { APP_ID, type HostReply, INSTALLATION, ScriptedHost } from "./scriptedHost.ts";
import { databaseTest } from "./test.ts";

export const failure = (work: Promise<unknown>): Promise<HostError> =>
  work.then(
    () => Promise.reject(new Error("nothing was thrown")),
    (error) => error,
  );

/** As the public code host words it, under 403 with a budget that is not spent and no time to wait. */
export const SECONDARY = {
  message: "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
  documentation_url: "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits",
};
export const ABUSE = "You have triggered an abuse detection mechanism. Please wait a few minutes before you try again.";
export const limit = (body: object): HostReply => ({ status: 403, headers: { "x-ratelimit-remaining": "57" }, body });

function reset(host: ScriptedHost): void {
  host.script = () => undefined;
  host.requests.length = 0;
  host.minted.length = 0;
  host.pulls.clear();
  host.people.clear();
  host.statuses.length = 0;
  host.checkRuns.length = 0;
  host.protection = undefined;
  host.rules = [];
  host.pageSize = 100;
  host.tokenLifetimeMs = 3_600_000;
  host.installation = INSTALLATION;
}

export const test = databaseTest()
  .extend("repository", { scope: "file" }, async ({}, { onCleanup }) => {
    const host = await ScriptedHost.start();
    onCleanup(() => host.stop());
    return { host, first: await host.commit({ "network/main.tf": "1", "app/main.tf": "1" }) };
  })
  .extend("hosts", { scope: "file" }, ({}, { onCleanup }) => {
    const hosts = testHosts(5_000);
    onCleanup(() => hosts.egress.close());
    return hosts;
  })
  .extend("world", async ({ database, repository, hosts }, { onCleanup }) => {
    const { host, first } = repository;
    const { orgId } = await makeOrg(database);
    onCleanup(() => reset(host));
    const appAuth = (changes: Partial<AuthConfig> = {}): AuthConfig => ({
      kind: "app",
      app_id: APP_ID,
      private_key: host.appKey,
      ...changes,
    });

    async function calls(auth?: AuthConfig): Promise<OpenedRepository> {
      const integration = await makeIntegration(database, hosts.keyring, orgId, host, auth && { auth });
      return hosts.hosts.repository(integration, host.repositoryKey);
    }
    const mint = (isForeign = true, repositoryUrl = host.repositoryUrl) =>
      cloneCredentials(database.db, hosts.hosts, { orgId, repositoryUrl, isForeign });
    const pull = (number: number, list: { filename: string }[]) =>
      host.setPull({ number, base: "main", head: `f${number}`, sha: first, files: list });

    return { database, host, hosts, first, orgId, appAuth, calls, mint, pull };
  });
