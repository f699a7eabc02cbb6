/** The client of code hosts: tokens, pages, conditions, publishing, and failures that tell nothing. */

import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AuthConfig } from "../../src/exchange/scm/authConfig.ts";
import type { RepositoryCalls } from "../../src/exchange/scm/host/client.ts";
import { branchHead, compare } from "../../src/exchange/scm/host/commits.ts";
import { HostError } from "../../src/exchange/scm/host/errors.ts";
import { containsCommit, publishingHost, pullRequestHost } from "../../src/exchange/scm/host/ports.ts";
import { openPullRequests } from "../../src/exchange/scm/host/pullRequests.ts";
import { resolveHead } from "../../src/exchange/scm/resolveCommit.ts";
import { cloneCredentials, headOf } from "../../src/exchange/scm/source.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { makeOrg, makeStack } from "../support/fixtures.ts";
import { hostStack, makeIntegration, type TestHosts, testHosts } from "../support/scm.ts";
import { APP_ID, type HostReply, INSTALLATION, ScriptedHost } from "../support/scriptedHost.ts";

let database: TestDatabase;
let host: ScriptedHost;
let hosts: TestHosts;
let orgId: string;
let first: string;

beforeAll(async () => {
  [database, host] = await Promise.all([freshDatabase(), ScriptedHost.start()]);
  hosts = testHosts(5_000);
  first = await host.commit({ "network/main.tf": "1", "app/main.tf": "1" });
});
afterAll(async () => {
  await hosts.egress.close();
  await Promise.all([host.stop(), database.close()]);
});
beforeEach(async () => {
  ({ orgId } = await makeOrg(database));
});
afterEach(() => {
  host.script = () => undefined;
  host.requests.length = 0;
  host.minted.length = 0;
  host.pulls.clear();
  host.pageSize = 100;
  host.tokenLifetimeMs = 3_600_000;
  host.installation = INSTALLATION;
});

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

const failure = (work: Promise<unknown>): Promise<HostError> =>
  work.then(
    () => Promise.reject(new Error("nothing was thrown")),
    (error) => error,
  );

describe("an app's tokens", () => {
  it("are minted once for many calls at once, for the installation given or the owner's", async () => {
    for (const auth of [appAuth({ installation_id: String(INSTALLATION) }), appAuth()]) {
      host.requests.length = 0;
      host.minted.length = 0;
      const repository = await calls(auth);
      const heads = await Promise.all(Array.from({ length: 5 }, () => branchHead(repository, "main")));
      expect(new Set(heads.map((head) => head?.sha))).toEqual(new Set([first]));
      expect(host.minted).toHaveLength(1);
    }
    expect(host.asked.filter((path) => path === "GET /users/acme/installation")).toHaveLength(1);
  });

  it("are replaced once when the host takes one back", async () => {
    const repository = await calls(appAuth());
    await branchHead(repository, "main");
    host.revoke(host.minted[0]?.token as string);
    expect((await branchHead(repository, "main"))?.sha).toBe(first);
    expect(host.minted).toHaveLength(2);
    host.script = ({ path }) => (path.includes("/branches/") ? { status: 401 } : undefined);
    expect(await failure(branchHead(repository, "main"))).toMatchObject({ failure: "refused", hostStatus: 401 });
    expect(host.minted).toHaveLength(3);
  });

  it("are replaced together: many calls that were refused one token share the next", async () => {
    const repository = await calls(appAuth());
    await branchHead(repository, "main");
    host.revoke(host.minted[0]?.token as string);
    const heads = await Promise.all(Array.from({ length: 6 }, () => branchHead(repository, "main")));
    expect(new Set(heads.map((head) => head?.sha))).toEqual(new Set([first]));
    expect(host.minted).toHaveLength(2);
  });

  it("are not asked for again and again where a new one is refused as well", async () => {
    const repository = await calls(appAuth());
    host.script = ({ path }) => (path.includes("/branches/") ? { status: 403, body: { message: "No" } } : undefined);
    for (let i = 0; i < 20; i++) {
      expect(await failure(branchHead(repository, "main"))).toMatchObject({ failure: "refused", hostStatus: 403 });
    }
    expect(host.minted).toHaveLength(2);
  });

  it("come from the installation of today: one that was taken away and made anew is found without a restart", async () => {
    const integration = await makeIntegration(database, hosts.keyring, orgId, host, { auth: appAuth() });
    const repository = await hosts.hosts.repository(integration, host.repositoryKey);
    const mint = () => cloneCredentials(database.db, hosts.hosts, { orgId, repositoryUrl: host.repositoryUrl });
    await branchHead(repository, "main");
    const before = await mint();
    host.installation = 900;
    expect((await branchHead(repository, "main"))?.sha).toBe(first);
    expect(await mint()).not.toEqual(before);
    expect(host.minted.slice(-2).map(({ installation }) => installation)).toEqual([900, 900]);
    const asked = host.requests.length;
    await branchHead(repository, "main");
    expect(host.requests.length).toBe(asked + 1);
    host.installation = null;
    expect(await failure(branchHead(repository, "main"))).toMatchObject({ failure: "hidden", hostStatus: 404 });
    await expect(mint()).rejects.toMatchObject({ status: 503, detail: expect.stringContaining("not installed") });
    await expect(mint()).rejects.toMatchObject({ detail: expect.stringContaining(integration.name) });
    host.installation = 901;
    expect((await branchHead(repository, "main"))?.sha).toBe(first);
    expect(await mint()).toMatchObject({ integration: integration.name });
  });

  it("of two integrations with equal installation numbers are never shared, however they race", async () => {
    const other = await ScriptedHost.start();
    const theirs = await makeIntegration(database, hosts.keyring, orgId, other, {
      auth: { ...appAuth({ installation_id: String(INSTALLATION) }), private_key: other.appKey },
    });
    const ours = await calls(appAuth({ installation_id: String(INSTALLATION) }));
    const elsewhere = await hosts.hosts.repository(theirs, other.repositoryKey);
    await Promise.all([branchHead(ours, "main"), ...Array.from({ length: 3 }, () => branchHead(elsewhere, "main"))]);
    const own = new Set(other.minted.map(({ token }) => `token ${token}`));
    const used = other.requests.map(({ authorization }) => authorization).filter((text) => text.startsWith("token "));
    expect(used.filter((text) => !own.has(text))).toEqual([]);
    await other.stop();
  });

  it("that a key the host does not know signed are refused, without an end of tries", async () => {
    const other = await ScriptedHost.start();
    const repository = await calls(appAuth({ private_key: other.appKey }));
    await other.stop();
    expect(await failure(branchHead(repository, "main"))).toMatchObject({ failure: "refused" });
  });
});

/** As the public code host words it, under 403 with a budget that is not spent and no time to wait. */
const SECONDARY = {
  message: "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
  documentation_url: "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits",
};
const ABUSE = "You have triggered an abuse detection mechanism. Please wait a few minutes before you try again.";
const limit = (body: object): HostReply => ({ status: 403, headers: { "x-ratelimit-remaining": "57" }, body });

describe("failures", () => {
  const secret = "ghp_CANARY";
  it.each<[string, HostReply, object]>([
    ["500", { status: 500, body: { message: secret } }, { failure: "unavailable", hostStatus: 500 }],
    ["a hang", "hang", { failure: "unavailable", hostStatus: null }],
    ["429 without a time", { status: 429 }, { failure: "rate_limited", retryAfterMs: 60_000 }],
    [
      "403 with a time",
      { status: 403, headers: { "retry-after": "7" } },
      { failure: "rate_limited", retryAfterMs: 7_000 },
    ],
    [
      "an absurd time",
      { status: 429, headers: { "retry-after": "999999" } },
      { failure: "rate_limited", retryAfterMs: 7_200_000 },
    ],
    ["403", { status: 403, body: { message: secret } }, { failure: "refused", retryAfterMs: null }],
    [
      "403 for credentials, with a budget that is not spent",
      { status: 403, headers: { "x-ratelimit-remaining": "57" }, body: { message: "Resource not accessible" } },
      { failure: "refused", retryAfterMs: null },
    ],
    ["a secondary limit, in its words", limit(SECONDARY), { failure: "rate_limited", retryAfterMs: 60_000 }],
    ["the same in older words", limit({ message: ABUSE }), { failure: "rate_limited", retryAfterMs: 60_000 }],
    [
      "the same by its documentation",
      limit({ documentation_url: SECONDARY.documentation_url }),
      { failure: "rate_limited", retryAfterMs: 60_000 },
    ],
    [
      "a spent budget without a time",
      { status: 403, headers: { "x-ratelimit-remaining": "0" } },
      { failure: "rate_limited", retryAfterMs: 60_000 },
    ],
    ["404", { status: 404, body: { message: "Not Found" } }, { failure: "hidden", hostStatus: 404 }],
    ["a redirect", { status: 301, headers: { location: `http://x:${secret}@127.0.0.1:1/` } }, { failure: "moved" }],
    ["no commit in it", { status: 200, body: { commit: { sha: secret } } }, { failure: "nonsense" }],
  ])("%s is told apart, in words of ours", async (_, reply, expected) => {
    const repository = await calls();
    host.script = () => reply;
    const error = await failure(branchHead(repository, "main"));
    expect(error).toBeInstanceOf(HostError);
    expect(error).toMatchObject(expected);
    const everything = `${error.message}${error.stack}${JSON.stringify(error, Object.getOwnPropertyNames(error))}`;
    expect(everything).not.toContain(secret);
    expect(everything).not.toContain(host.token);
    expect(everything).not.toContain("127.0.0.1");
    expect(error.cause).toBeUndefined();
  });

  it("a host that is not there, and an address that may not be called", async () => {
    const gone = await ScriptedHost.start();
    const integration = await makeIntegration(database, hosts.keyring, orgId, gone);
    const repository = await hosts.hosts.repository(integration, gone.repositoryKey);
    await gone.stop();
    expect(await failure(branchHead(repository, "main"))).toMatchObject({ failure: "unavailable" });
    const inside = { ...integration, apiBaseUrl: "http://10.0.0.1/api", updatedAt: "x" };
    const blocked = await hosts.hosts.repository(inside, "10.0.0.1/acme/infra");
    expect(await failure(branchHead(blocked, "main"))).toMatchObject({
      failure: "not_allowed",
      detail: expect.stringContaining("SVC_EGRESS_ALLOW"),
    });
  });
});

describe("lists", () => {
  const files = (count: number) => Array.from({ length: count }, (_, i) => ({ filename: `bulk/${i}.tf` }));
  const pull = (number: number, list: { filename: string }[]) =>
    host.setPull({ number, base: "main", head: `f${number}`, sha: first, files: list });

  it("are followed to their end: a file on the last page is known", async () => {
    host.pageSize = 3;
    for (let n = 1; n <= 7; n++) pull(n, [...files(10), { filename: `stack-${n}/main.tf` }]);
    const found = await openPullRequests(await calls(), "main", false);
    expect(found.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    for (const { number, files: list } of found) {
      expect(list.complete).toBe(true);
      expect(list.paths).toContain(`stack-${number}/main.tf`);
    }
  });

  it("of files whose next page is one that was seen are incomplete", async () => {
    host.pageSize = 3;
    pull(1, files(10));
    const repository = await calls();
    const circle = `<${host.apiUrl}/repos/acme/infra/pulls/1/files?page=2>; rel="next"`;
    host.script = ({ path }) =>
      path.endsWith("/files") ? { status: 200, body: files(3), headers: { link: circle } } : undefined;
    const [found] = await openPullRequests(repository, "main", false);
    expect(found?.files.complete).toBe(false);
    expect(host.requests.length).toBeLessThan(6);
  });

  it("of pull requests that go round in circles are no answer: they would prune what they left out", async () => {
    pull(1, []);
    const circle = `<${host.apiUrl}/repos/acme/infra/pulls?page=1>; rel="next"`;
    const repository = await calls();
    host.script = ({ path }) =>
      path.endsWith("/pulls") ? { status: 200, body: [], headers: { link: circle } } : undefined;
    expect(await failure(openPullRequests(repository, "main", false))).toMatchObject({ failure: "nonsense" });
  });

  it.each([422, 406])(
    "of one request that the host will never give (%i) keep no other from being known",
    async (status) => {
      pull(1, files(2));
      pull(2, files(2));
      const repository = await calls();
      const parts = ["/pulls/1/files", "/pulls/1/reviews", "/check-runs"];
      host.script = ({ path }) => (parts.some((part) => path.endsWith(part)) ? { status } : undefined);
      const found = await openPullRequests(repository, "main", true);
      expect(found.map(({ number, files: { complete } }) => [number, complete])).toEqual([
        [1, false],
        [2, true],
      ]);
      expect(found[0]).toMatchObject({ approved: null, checksPassed: null });
    },
  );

  it("never take the token to another host", async () => {
    const other = await ScriptedHost.start();
    const away = `<${other.apiUrl}/repos/acme/infra/pulls?page=2>; rel="next"`;
    const repository = await calls();
    host.script = ({ path }) =>
      path.endsWith("/pulls") ? { status: 200, body: [], headers: { link: away } } : undefined;
    expect(await failure(openPullRequests(repository, "main", false))).toMatchObject({ failure: "nonsense" });
    expect(other.requests).toEqual([]);
    await other.stop();
  });
});

describe("pull requests", () => {
  it("are asked for reviews, merging and checks only where a stack wants to know", async () => {
    const integration = await makeIntegration(database, hosts.keyring, orgId, host);
    const port = pullRequestHost(database.db, hosts.hosts, integration);
    const review = (state: string, id: number) => ({ state, user: { id } });
    const reviews = [
      review("CHANGES_REQUESTED", 1),
      review("APPROVED", 1),
      review("COMMENTED", 1),
      review("APPROVED", 2),
    ];
    host.setPull({
      number: 1,
      base: "main",
      head: "f",
      sha: first,
      files: [{ filename: "a" }],
      mergeable: true,
      reviews,
    });
    host.checkRuns.push({ status: "completed", conclusion: "success" });
    await hostStack(database, orgId, host);
    const at = { orgId, repositoryKey: host.repositoryKey };
    expect(await port.openPullRequests(at, "main")).toMatchObject([
      { approved: null, mergeable: null, checksPassed: null },
    ]);
    expect(host.asked).toEqual(["GET /pulls", "GET /pulls/1/files"]);
    await hostStack(database, orgId, host, { pr_requirements: { plan: ["approved"] } });
    expect(await port.openPullRequests(at, "main")).toMatchObject([
      { approved: true, mergeable: true, checksPassed: true, isFork: false },
    ]);
    host.statuses.push({ sha: first, state: "pending", context: "preview/network" });
    expect(await port.openPullRequests(at, "main")).toMatchObject([{ checksPassed: true }]);
    host.statuses.push({ sha: first, state: "failure", context: "ci/lint" });
    expect(await port.openPullRequests(at, "main")).toMatchObject([{ checksPassed: false }]);
  });
});

describe("a branch with many pull requests", () => {
  it("is asked for the files of those alone that changed since", async () => {
    const integration = await makeIntegration(database, hosts.keyring, orgId, host);
    const port = pullRequestHost(database.db, hosts.hosts, integration);
    const at = { orgId, repositoryKey: host.repositoryKey };
    for (let number = 1; number <= 5; number++) {
      host.setPull({ number, base: "main", head: `f${number}`, sha: first, files: [{ filename: `${number}/a.tf` }] });
    }
    const asked = async () => {
      host.requests.length = 0;
      const found = await port.openPullRequests(at, "main");
      return { paths: found.map(({ files }) => files.paths), files: host.asked.filter((call) => /files$/.test(call)) };
    };
    const before = await asked();
    expect(before.files).toHaveLength(5);
    expect(await asked()).toEqual({ paths: before.paths, files: [] });
    host.setPull({ number: 3, base: "main", head: "f3", sha: first, files: [{ filename: "3/b.tf" }] });
    host.setPull({ number: 5, base: "next", head: "f5", sha: first, files: [{ filename: "5/a.tf" }] });
    const after = await asked();
    expect(after).toEqual({
      paths: before.paths.slice(0, 4).with(2, ["3/b.tf"]),
      files: ["GET /pulls/3/files"],
    });
    // What changed a moment ago is asked for again.
    const updatedAt = new Date().toISOString();
    host.setPull({ number: 1, base: "main", head: "f1", sha: first, files: [{ filename: "1/new.tf" }], updatedAt });
    for (let round = 0; round < 2; round++) expect((await asked()).files).toEqual(["GET /pulls/1/files"]);
  });
});

describe("commits", () => {
  it("tell whether one contains another", async () => {
    const repository = await calls();
    const second = await host.commit({ "x.tf": "1" });
    expect(await containsCommit(repository, second, first)).toBe(true);
    expect(await containsCommit(repository, first, second)).toBe(false);
    expect(await containsCommit(repository, first, first)).toBe(true);
    expect(await containsCommit(repository, first, "f".repeat(40))).toBe(false);
    expect(await compare(repository, first, second)).toMatchObject({
      relation: "ahead",
      paths: ["x.tf"],
      complete: true,
    });
  });
});

describe("publishing", () => {
  it("changes the comment it made, finds one by its marker, makes one that is gone anew", async () => {
    await makeIntegration(database, hosts.keyring, orgId, host);
    await hostStack(database, orgId, host);
    const port = publishingHost(database.db, hosts.hosts);
    const at = { orgId, repositoryKey: host.repositoryKey };
    const comment = (commentId: string | null, body: string) =>
      port.putComment(at, { number: 3, commentId, marker: "<!-- m -->", body: `<!-- m --> ${body}` });
    const id = await comment(null, "one");
    expect(await comment(id, "two")).toBe(id);
    expect(await comment(null, "three")).toBe(id);
    expect([...host.comments.values()]).toMatchObject([{ body: "<!-- m --> three" }]);
    host.comments.clear();
    await comment(id, "four");
    expect([...host.comments.values()]).toMatchObject([{ body: "<!-- m --> four" }]);
    host.script = () => ({ status: 403, headers: { "retry-after": "30" } });
    await expect(comment(id, "five")).rejects.toMatchObject({ name: "PublishRefused", notBeforeMs: 30_000 });
  });

  it("finds the integration by any stack's address: an older one that is written otherwise hides nothing", async () => {
    const { host: name } = new URL(host.url);
    await makeStack(database, orgId, {
      repository_url: `ssh://git@${name}/acme/infra.git`,
      repository_key: host.repositoryKey,
    });
    await makeIntegration(database, hosts.keyring, orgId, host, { urlPattern: "^http://" });
    await hostStack(database, orgId, host);
    const at = { orgId, repositoryKey: host.repositoryKey };
    const status = { sha: first, state: "success", context: "preview/any", description: "d", targetUrl: null } as const;
    await publishingHost(database.db, hosts.hosts).putStatus(at, status);
    expect(host.statuses).toContainEqual(expect.objectContaining({ sha: first, context: "preview/any" }));
  });

  it.each<[string, HostReply]>([
    ["a limit", limit(SECONDARY)],
    ["a refusal", { status: 403, body: { message: "Resource not accessible" } }],
  ])("never makes a second comment because the first met %s", async (_, reply) => {
    await makeIntegration(database, hosts.keyring, orgId, host);
    await hostStack(database, orgId, host);
    const port = publishingHost(database.db, hosts.hosts);
    const at = { orgId, repositoryKey: host.repositoryKey };
    const comment = (commentId: string | null, body: string) =>
      port.putComment(at, { number: 4, commentId, marker: "<!-- one -->", body: `<!-- one --> ${body}` });
    const id = await comment(null, "first");
    host.script = ({ method }) => (method === "PATCH" ? reply : undefined);
    for (let i = 0; i < 3; i++) await expect(comment(id, "second")).rejects.toMatchObject({ name: "PublishRefused" });
    host.script = () => undefined;
    expect(await comment(id, "third")).toBe(id);
    expect([...host.comments.values()].filter(({ number }) => number === 4)).toHaveLength(1);
  });

  it("has nobody to tell about a public repository", async () => {
    const port = publishingHost(database.db, hosts.hosts);
    const at = { orgId, repositoryKey: host.repositoryKey };
    expect(await port.putComment(at, { number: 3, commentId: null, marker: "m", body: "m" })).toBeNull();
    expect(host.requests).toEqual([]);
  });
});

describe("sources", () => {
  const git = promisify(execFile);
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

  it("a private repository is cloned with an app's token that reads this repository and nothing else", async () => {
    await makeIntegration(database, hosts.keyring, orgId, host, { auth: appAuth() });
    const credentials = await mint();
    expect(await cloned(credentials)).toBe(await host.head("main"));
    expect(host.minted.at(-1)?.body).toEqual({ repositories: ["infra"], permissions: { contents: "read" } });
    await mint();
    expect(host.minted).toHaveLength(1);
    await expect(cloned(null)).rejects.toThrow();
    // Taken back before its time: no run is given it.
    host.revoke(credentials?.password as string);
    expect(await cloned(await mint())).toBe(await host.head("main"));
    expect(host.minted).toHaveLength(2);
  });

  it("a token that is about to end is not handed out", async () => {
    await makeIntegration(database, hosts.keyring, orgId, host, { auth: appAuth() });
    host.tokenLifetimeMs = 60_000;
    await mint();
    host.tokenLifetimeMs = 3_600_000;
    const credentials = await mint();
    expect(credentials?.password).toBe(host.minted.at(-1)?.token);
  });

  it("a public one, ssh, and an integration without credentials need none", async () => {
    expect(await mint()).toBeNull();
    await makeIntegration(database, hosts.keyring, orgId, host, { auth: { kind: "none" } });
    expect(await mint()).toBeNull();
    expect(
      await cloneCredentials(database.db, hosts.hosts, { orgId, repositoryUrl: "git@127.0.0.1:acme/infra.git" }),
    ).toBeNull();
  });

  it("a pattern that matches another host's address gives that host no token", async () => {
    await makeIntegration(database, hosts.keyring, orgId, host, { urlPattern: "acme/infra" });
    const elsewhere = "https://evil.example/acme/infra.git";
    expect(await cloneCredentials(database.db, hosts.hosts, { orgId, repositoryUrl: elsewhere })).toBeNull();
    expect(await headOf(database.db, hosts.hosts, { orgId, repositoryUrl: elsewhere, branch: "main" })).toBeUndefined();
  });

  it("a host that gives none is 503, without its words", async () => {
    await makeIntegration(database, hosts.keyring, orgId, host, { auth: appAuth() });
    host.script = () => ({ status: 500, body: { message: "CANARY" } });
    const error = await failure(mint());
    expect(error).toMatchObject({ status: 503, code: "credentials_unavailable" });
    expect(`${error.message}${error.stack}`).not.toContain("CANARY");
  });

  it("a branch's head comes from the integration, with author and message; a tag of that name is not it", async () => {
    await makeIntegration(database, hosts.keyring, orgId, host);
    const branch = "release/50%#1";
    const sha = await host.commit({ "a.tf": "1" }, { branch, message: "Cut the release" });
    const tag = await host.tag("release/50%#1", first);
    const asked = { orgId, repositoryUrl: host.repositoryUrl, branch };
    const settings = {
      allowProtocol: ["http"],
      checkHost: async () => {},
      headAtHost: (at: typeof asked) => headOf(database.db, hosts.hosts, at),
    };
    expect(await resolveHead(settings, asked)).toEqual({ sha, message: "Cut the release", author: "Ann Author" });
    expect(tag).not.toBe(first);
    await expect(resolveHead(settings, { ...asked, branch: "absent" })).rejects.toMatchObject({ status: 422 });
    host.script = () => ({ status: 500 });
    await expect(resolveHead(settings, asked)).rejects.toMatchObject({ status: 502, code: "repository_unreachable" });
  });

  it("of a public repository git is asked, and an annotated tag is not mistaken for its commit", async () => {
    host.private = false;
    const branch = "v1";
    const sha = await host.commit({ "b.tf": "1" }, { branch });
    await host.tag("v1", first);
    const settings = { allowProtocol: ["http"], checkHost: async () => {} };
    expect(await resolveHead(settings, { orgId, repositoryUrl: host.repositoryUrl, branch })).toEqual({
      sha,
      message: null,
      author: null,
    });
    host.private = true;
  });
});
