/** The client of code hosts: tokens, pages, conditions, and failures that tell nothing. */
import { describe, expect } from "vitest";
import { branchHead, compare } from "../../src/exchange/scm/host/commits.ts";
import { HostError } from "../../src/exchange/scm/host/errors.ts";
import { containsCommit } from "../../src/exchange/scm/host/ports.ts";
import { openPullRequests } from "../../src/exchange/scm/host/pullRequests.ts";
import { makeIntegration } from "../support/scm.ts";
import { failure, test } from "../support/scmHostTest.ts";
import { type HostReply, INSTALLATION, ScriptedHost } from "../support/scriptedHost.ts";

test.afterEach(({ host }) => {
  host.script = () => undefined;
  host.requests.length = 0;
  host.minted.length = 0;
  host.pulls.clear();
  host.pageSize = 100;
  host.tokenLifetimeMs = 3_600_000;
});

describe("an app's tokens", () => {
  test("are minted once for many calls at once, for the installation given or the owner's", async ({
    host,
    first,
    world,
  }) => {
    for (const auth of [world.appAuth({ installation_id: String(INSTALLATION) }), world.appAuth()]) {
      host.requests.length = 0;
      host.minted.length = 0;
      const repository = await world.calls(auth);
      const heads = await Promise.all(Array.from({ length: 5 }, () => branchHead(repository, "main")));
      expect(new Set(heads.map((head) => head?.sha))).toEqual(new Set([first]));
      expect(host.minted).toHaveLength(1);
    }
    expect(host.asked.filter((path) => path === "GET /users/acme/installation")).toHaveLength(1);
  });

  test("are replaced once when the host takes one back", async ({ host, first, world }) => {
    const repository = await world.calls(world.appAuth());
    await branchHead(repository, "main");
    host.revoke(host.minted[0]?.token as string);
    expect((await branchHead(repository, "main"))?.sha).toBe(first);
    expect(host.minted).toHaveLength(2);
    host.script = ({ path }) => (path.includes("/branches/") ? { status: 401 } : undefined);
    expect(await failure(branchHead(repository, "main"))).toMatchObject({ failure: "refused", status: 401 });
    expect(host.minted).toHaveLength(3);
  });

  test("that a key the host does not know signed are refused, without an end of tries", async ({ world }) => {
    const other = await ScriptedHost.start();
    const repository = await world.calls(world.appAuth({ private_key: other.appKey }));
    await other.stop();
    expect(await failure(branchHead(repository, "main"))).toMatchObject({ failure: "refused" });
  });
});

describe("failures", () => {
  const secret = "ghp_CANARY";
  test.for<[string, HostReply, object]>([
    ["500", { status: 500, body: { message: secret } }, { failure: "unavailable", status: 500 }],
    ["a hang", "hang", { failure: "unavailable", status: null }],
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
    ["a redirect", { status: 301, headers: { location: `http://x:${secret}@127.0.0.1:1/` } }, { failure: "moved" }],
    ["no commit in it", { status: 200, body: { commit: { sha: secret } } }, { failure: "nonsense" }],
  ])("%s is told apart, in words of ours", async ([_, reply, expected], { host, world }) => {
    const repository = await world.calls();
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

  test("a host that is not there, and an address that may not be called", async ({ database, hosts, orgId }) => {
    const gone = await ScriptedHost.start();
    const integration = await makeIntegration(database, hosts.keyring, orgId, gone);
    const repository = await hosts.hosts.repository(integration, gone.repositoryKey);
    await gone.stop();
    expect(await failure(branchHead(repository, "main"))).toMatchObject({ failure: "unavailable" });
    const inside = { ...integration, apiBaseUrl: "http://10.0.0.1/api", updatedAt: "x" };
    const blocked = await hosts.hosts.repository(inside, "10.0.0.1/acme/infra");
    expect(await failure(branchHead(blocked, "main"))).toMatchObject({ failure: "refused" });
  });
});

describe("lists", () => {
  const files = (count: number) => Array.from({ length: count }, (_, i) => ({ filename: `bulk/${i}.tf` }));

  test("are followed to their end: a file on the last page is known", async ({ host, world }) => {
    host.pageSize = 3;
    for (let n = 1; n <= 7; n++) world.pull(n, [...files(10), { filename: `stack-${n}/main.tf` }]);
    const found = await openPullRequests(await world.calls(), "main", false);
    expect(found.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    for (const { number, files: list } of found) {
      expect(list.complete).toBe(true);
      expect(list.paths).toContain(`stack-${number}/main.tf`);
    }
  });

  test("of files whose next page is one that was seen are incomplete", async ({ host, world }) => {
    host.pageSize = 3;
    world.pull(1, files(10));
    const repository = await world.calls();
    const circle = `<${host.apiUrl}/repos/acme/infra/pulls/1/files?page=2>; rel="next"`;
    host.script = ({ path }) =>
      path.endsWith("/files") ? { status: 200, body: files(3), headers: { link: circle } } : undefined;
    const [found] = await openPullRequests(repository, "main", false);
    expect(found?.files.complete).toBe(false);
    expect(host.requests.length).toBeLessThan(6);
  });

  test("of pull requests that go round in circles are no answer: they would prune what they left out", async ({
    host,
    world,
  }) => {
    world.pull(1, []);
    const circle = `<${host.apiUrl}/repos/acme/infra/pulls?page=1>; rel="next"`;
    const repository = await world.calls();
    host.script = ({ path }) =>
      path.endsWith("/pulls") ? { status: 200, body: [], headers: { link: circle } } : undefined;
    expect(await failure(openPullRequests(repository, "main", false))).toMatchObject({ failure: "nonsense" });
  });

  test("never take the token to another host", async ({ host, world }) => {
    const other = await ScriptedHost.start();
    const away = `<${other.apiUrl}/repos/acme/infra/pulls?page=2>; rel="next"`;
    const repository = await world.calls();
    host.script = ({ path }) =>
      path.endsWith("/pulls") ? { status: 200, body: [], headers: { link: away } } : undefined;
    expect(await failure(openPullRequests(repository, "main", false))).toMatchObject({ failure: "nonsense" });
    expect(other.requests).toEqual([]);
    await other.stop();
  });
});

describe("commits", () => {
  test("tell whether one contains another", async ({ host, first, world }) => {
    const repository = await world.calls();
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
