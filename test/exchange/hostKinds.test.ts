/** What is peculiar to a kind of host: what an integration may say of it, and its own ways beside the common cases. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sealAuth, summaryOf } from "../../src/exchange/scm/authConfig.ts";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import { EgressRefusedError } from "../../src/platform/egress/errors.ts";
import type { CodeHost } from "../support/hosts/codeHost.ts";
import { GiteaStandIn } from "../support/hosts/giteaStandIn.ts";
import { GithubStandIn } from "../support/hosts/githubStandIn.ts";
import { GitlabStandIn } from "../support/hosts/gitlabStandIn.ts";
import { type HostWorld, hostWorld } from "../support/hosts/hostWorld.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { type TestHosts, testHosts } from "../support/scm.ts";
import { APP_ID } from "../support/scriptedHost.ts";

const keyring = createKeyring({ provider: "aes-256", key: randomBytes(32), previousKeys: [] });
let api: PeopleApi;
let hosts: TestHosts;
let gitea: GiteaStandIn;
let gitlab: GitlabStandIn;

beforeAll(async () => {
  // Of the names and addresses here, the operator opened this machine's alone.
  const checkHost = async (_org: string, host: string, _port: number, which: "all" | "opened") => {
    if (which === "opened" && host !== "127.0.0.1") throw new EgressRefusedError("port_or_address");
  };
  api = await startPeopleApi({ keyring, git: "host", env: { SVC_EGRESS_ALLOW: "127.0.0.1" }, scm: { checkHost } });
  hosts = testHosts(5_000, keyring);
  [gitea, gitlab] = [await GiteaStandIn.start(), await GitlabStandIn.start()];
});
afterAll(() => Promise.all([gitea.stop(), gitlab.stop(), hosts.egress.close(), api.close()]));

async function worldAt(host: CodeHost): Promise<HostWorld> {
  const { state } = host;
  for (const kept of [state.pulls, state.people, state.comments]) kept.clear();
  state.statuses.length = 0;
  const first = await state.commit({ "network/main.tf": "1" });
  return hostWorld(api, hosts, host, first);
}

describe("an integration", () => {
  const settings = (more: object) => ({ name: `n-${Math.random()}`, url_pattern: "^https://git", ...more });
  const token = { kind: "token", token: "t0ken", webhook_secret: "x".repeat(16) };
  const API = "https://git.example/api/v1";

  it.each<[string, object, string]>([
    ["Gitea has no public place", { host_kind: "gitea", auth_config: token }, "api_base_url"],
    ["GitLab has no apps", { host_kind: "gitlab", auth_config: { kind: "app", app_id: "1" } }, "auth_config.kind"],
    ["there is no such kind", { host_kind: "svn" }, "host_kind"],
    [
      "a signing token has lost a part",
      { host_kind: "gitlab", auth_config: { ...token, webhook_secret: "whsec_%%%%%%%%%%%%" } },
      "auth_config.webhook_secret",
    ],
    [
      "a token would go out into the world in clear",
      { host_kind: "gitea", api_base_url: "http://93.184.216.34/api/v1", auth_config: token },
      "api_base_url",
    ],
    [
      "it would do so once there is such a name",
      { host_kind: "gitea", api_base_url: "http://no-such-name.invalid/api/v1", auth_config: token },
      "api_base_url",
    ],
  ])("is refused where %s", async (_, more, field) => {
    const world = await worldAt(gitlab);
    const path = `/api/v1/orgs/${world.orgId}/scm-integrations`;
    const { status, body } = await api.call("POST", path, { token: world.token, body: settings(more) });
    expect([status, body.errors?.map((error: { field: string }) => error.field)]).toEqual([422, [field]]);
  });

  it("is taken over plain http where the operator opened the address", async () => {
    const world = await worldAt(gitlab);
    const asked = settings({ host_kind: "gitea", api_base_url: "http://127.0.0.1:3000/api/v1", auth_config: token });
    const path = `/api/v1/orgs/${world.orgId}/scm-integrations`;
    expect((await api.call("POST", path, { token: world.token, body: asked })).status).toBe(201);
  });

  it("tells what its kind cannot do, and needs its credentials anew for another kind", async () => {
    const world = await worldAt(gitlab);
    const path = `/api/v1/orgs/${world.orgId}/scm-integrations`;
    const asked = settings({ host_kind: "gitea", api_base_url: API, auth_config: token });
    const { body: made } = await api.call("POST", path, { token: world.token, body: asked });
    expect(made).toMatchObject({ host_kind: "gitea", webhook_check: null });
    expect(made.limitations.join()).toContain("no apps");
    const kept = settings({ host_kind: "gitea", api_base_url: API });
    const other = { ...kept, host_kind: "gitlab" };
    const refused = await api.call("PUT", `${path}/${made.id}`, { token: world.token, body: other });
    expect([refused.status, refused.body.errors?.[0].field]).toEqual([422, "auth_config.token"]);
    const same = await api.call("PUT", `${path}/${made.id}`, { token: world.token, body: kept });
    expect([same.status, same.body.host_kind]).toEqual([200, "gitea"]);
  });
});

describe("an app of GitHub", () => {
  it("tells of its own webhook, which is the same for all its repositories", async () => {
    const github = await GithubStandIn.start();
    const world = await worldAt(github);
    const { orgId, integration, test } = world;
    const auth = {
      kind: "app",
      app_id: APP_ID,
      private_key: github.state.appKey,
      webhook_secret: "s".repeat(16),
    } as const;
    await api.database.sql`
      update scm_integrations set auth_config = ${await sealAuth(keyring, integration.id, auth)},
        auth_config_summary = ${api.database.sql.json(summaryOf(auth))}, updated_at = clock_timestamp() where id = ${integration.id}`;
    const app = {
      events: ["push", "pull_request"],
      url: `https://d.example/api/v1/orgs/${orgId}/scm-integrations/${integration.id}/webhook`,
    };
    github.script = ({ path, authorization }) => {
      if (!path.startsWith("/app") || path.includes("installations")) return undefined;
      return authorization.startsWith("bearer ") ? { status: 200, body: app } : { status: 401 };
    };
    const missing = ["Pull request reviews", "Check suites"];
    expect((await test()).body).toMatchObject({ ok: true, webhook: { state: "incomplete", missing } });
    app.url = "https://elsewhere.example/";
    expect((await test()).body.webhook).toMatchObject({ state: "absent", reason: "the app's webhook leads elsewhere" });
    await github.stop();
  });
});

describe("GitLab", () => {
  it("of older installations tells the time of an approval by a note alone", async () => {
    gitlab.tellsTimes = false;
    const { first, stack, pull, open } = await worldAt(gitlab);
    await stack("network", { pr_requirements: { promote: ["approved"] } });
    gitlab.state.people.set("p2", { id: 2, permission: "write" });
    const approval = (commit_id: string) => [{ state: "APPROVED", commit_id, user: { id: 2, login: "p2" } }];
    pull(1, ["network/a"], { reviews: approval(first) });
    expect((await open())[0]).toMatchObject({ approved: true });
    pull(1, ["network/a"], { reviews: approval("b".repeat(40)) });
    expect((await open())[0]).toMatchObject({ approved: false, approvedReason: "1 review of an older head" });
    gitlab.tellsTimes = true;
  });

  it("shows a fork's status under the request's own ref", async () => {
    const { stack, pull, publish, at } = await worldAt(gitlab);
    await stack("network");
    const sha = await gitlab.state.commit({ "network/f.tf": "1" }, { branch: "fork" });
    gitlab.onlyInFork(sha);
    const status = { sha, state: "success", context: "preview/network", description: "d", targetUrl: null } as const;
    await expect(publish.putStatus(at, status)).rejects.toMatchObject({ name: "PublishRefused", final: false });
    pull(9, ["network/f.tf"], { sha, fork: true });
    await publish.putStatus(at, status);
    expect(gitlab.state.statuses.at(-1)).toMatchObject({ sha, state: "success" });
    expect(gitlab.requests.at(-1)?.body).toMatchObject({ ref: "refs/merge-requests/9/head" });
  });

  it("waits for no job that may fail, and for the pipeline of the merged result", async () => {
    const { first, stack, pull, open } = await worldAt(gitlab);
    await stack("network", { pr_requirements: { promote: ["checks_passed"] } });
    pull(1, ["network/a"]);
    const answered = async (jobs: object[], head_pipeline: object | null) => {
      gitlab.script = async ({ path, method }) => {
        if (path.endsWith("/statuses")) return { status: 200, body: jobs };
        const one = method === "GET" && path.endsWith("/merge_requests/1");
        return one ? { status: 200, body: { iid: 1, changes_count: "1", head_pipeline } } : undefined;
      };
      const [request] = await open();
      gitlab.script = () => undefined;
      return request?.checksPassed;
    };
    const build = { name: "build", status: "success" };
    const lint = { name: "lint", status: "failed", allow_failure: true };
    expect(await answered([build, lint, { name: "deploy", status: "manual" }], null)).toBe(true);
    expect(await answered([build], { sha: first, status: "running" })).toBe(true);
    expect(await answered([build], { sha: "c".repeat(40), status: "running" })).toBeNull();
    expect(await answered([build], { sha: "c".repeat(40), status: "failed" })).toBe(false);
  });

  it("says how many files there are: a list that it cut is not whole", async () => {
    const { pull, open } = await worldAt(gitlab);
    pull(1, ["network/a"]);
    for (const count of ["1000+", "2", "", null]) {
      gitlab.script = ({ path }) =>
        path.endsWith("/merge_requests/1") ? { status: 200, body: { changes_count: count } } : undefined;
      pull(1, ["network/a"]);
      expect((await open())[0]?.files.complete, String(count)).toBe(false);
    }
    gitlab.script = () => undefined;
  });
});

describe("Gitea", () => {
  it("wants the checks that fit the patterns of the branch's protection, and no others", async () => {
    const { first, stack, pull, open } = await worldAt(gitea);
    await stack("network", { pr_requirements: { promote: ["checks_passed"] } });
    pull(1, ["network/a"]);
    gitea.required = ["ci/*", "lint"];
    const passed = async (statuses: Record<string, string>) => {
      gitea.state.statuses.length = 0;
      for (const [context, state] of Object.entries(statuses))
        gitea.state.statuses.push({ sha: first, context, state });
      const [request] = await open();
      return [request?.checksPassed, request?.checksReason];
    };
    expect(await passed({ "ci/a": "success" })).toEqual([null, "not passed yet: lint"]);
    expect(await passed({ "ci/a": "success", lint: "skipped", other: "failure" })).toEqual([true, null]);
    expect(await passed({ "ci/a": "success", "ci/b": "warning", lint: "success" })).toEqual([false, "failed: ci/b"]);
    gitea.required = undefined;
  });

  it("has requests that were pushed for review, by people who need no write access: they count as forks", async () => {
    const { pull, open } = await worldAt(gitea);
    pull(1, ["network/a"], { head: "refs/pull/1/head" });
    expect((await open())[0]).toMatchObject({ isFork: true });
  });

  it("below a path of its host is found there", async () => {
    const { integration } = await worldAt(gitea);
    const served = { ...integration, apiBaseUrl: `${gitea.url}/git/api/v1` };
    gitea.script = ({ path }) => ({ status: 200, body: { full_name: path } });
    // The stand-in answers at one address: what is asked for is what counts.
    const asked = hosts.hosts.repository(served, "127.0.0.1/git/acme/infra");
    await expect(asked).resolves.toBeDefined();
    await expect(hosts.hosts.repository(served, "127.0.0.1/git/deep/acme/infra")).rejects.toMatchObject({
      failure: "not_found",
    });
    gitea.script = () => undefined;
  });
});
