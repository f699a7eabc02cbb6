/** What is read from a code host: lists to their end, pull requests, commits. */
import { describe, expect } from "vitest";
import { compare } from "../../src/exchange/scm/host/commits.ts";
import { containsCommit, pullRequestHost } from "../../src/exchange/scm/host/ports.ts";
import { openPullRequests } from "../../src/exchange/scm/host/pullRequests.ts";
import { hostStack, makeIntegration } from "../support/scm.ts";
import { failure, test } from "../support/scmHostTest.ts";
import { ScriptedHost } from "../support/scriptedHost.ts";

describe("lists", () => {
  const files = (count: number) => Array.from({ length: count }, (_, i) => ({ filename: `bulk/${i}.tf` }));

  test("are followed to their end: a file on the last page is known", async ({ world }) => {
    const { host, calls, pull } = world;
    host.pageSize = 3;
    for (let n = 1; n <= 7; n++) pull(n, [...files(10), { filename: `stack-${n}/main.tf` }]);
    const found = await openPullRequests(await calls(), "main", null);
    expect(found.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    for (const { number, files: list } of found) {
      expect(list.complete).toBe(true);
      expect(list.paths).toContain(`stack-${number}/main.tf`);
    }
  });

  test("of files whose next page is one that was seen are incomplete", async ({ world }) => {
    const { host, calls, pull } = world;
    host.pageSize = 3;
    pull(1, files(10));
    const repository = await calls();
    const circle = `<${host.apiUrl}/repos/acme/infra/pulls/1/files?page=2>; rel="next"`;
    host.script = ({ path }) =>
      path.endsWith("/files") ? { status: 200, body: files(3), headers: { link: circle } } : undefined;
    const [found] = await openPullRequests(repository, "main", null);
    expect(found?.files.complete).toBe(false);
    expect(host.requests.length).toBeLessThan(6);
  });

  test("of pull requests that go round in circles are no answer: they would prune what they left out", async ({
    world,
  }) => {
    const { host, calls, pull } = world;
    pull(1, []);
    const circle = `<${host.apiUrl}/repos/acme/infra/pulls?page=1>; rel="next"`;
    const repository = await calls();
    host.script = ({ path }) =>
      path.endsWith("/pulls") ? { status: 200, body: [], headers: { link: circle } } : undefined;
    expect(await failure(openPullRequests(repository, "main", null))).toMatchObject({ failure: "nonsense" });
  });

  test.for([422, 406])(
    "of one request that the host will never give (%i) keep no other from being known",
    async (status, { world }) => {
      const { host, calls, pull } = world;
      pull(1, files(2));
      pull(2, files(2));
      const repository = await calls();
      const parts = ["/pulls/1/files", "/pulls/1/reviews", "/check-runs"];
      host.script = ({ path }) => (parts.some((part) => path.endsWith(part)) ? { status } : undefined);
      const found = await openPullRequests(repository, "main", async () => true);
      expect(found.map(({ number, files: { complete } }) => [number, complete])).toEqual([
        [1, false],
        [2, true],
      ]);
      expect(found[0]).toMatchObject({ approved: null, checksPassed: null });
    },
  );

  test("never take the token to another host", async ({ world }) => {
    const { host, calls } = world;
    const other = await ScriptedHost.start();
    const away = `<${other.apiUrl}/repos/acme/infra/pulls?page=2>; rel="next"`;
    const repository = await calls();
    host.script = ({ path }) =>
      path.endsWith("/pulls") ? { status: 200, body: [], headers: { link: away } } : undefined;
    expect(await failure(openPullRequests(repository, "main", null))).toMatchObject({ failure: "nonsense" });
    expect(other.requests).toEqual([]);
    await other.stop();
  });
});

describe("pull requests", () => {
  test("are asked for reviews, merging and checks only where a stack wants to know", async ({ world }) => {
    const { database, host, hosts, first, orgId } = world;
    const integration = await makeIntegration(database, hosts.keyring, orgId, host);
    const port = pullRequestHost(database.db, hosts.hosts, integration);
    const reviews = [{ state: "APPROVED", user: { id: 2, login: "bea" }, commit_id: first }];
    host.people.set("bea", { id: 2, permission: "write" });
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
  test("is asked for the files of those alone that changed since", async ({ world }) => {
    const { database, host, hosts, first, orgId } = world;
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
  test("tell whether one contains another", async ({ world }) => {
    const { host, first, calls } = world;
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
