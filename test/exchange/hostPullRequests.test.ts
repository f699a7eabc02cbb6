/** The client of code hosts: open pull requests, and what is published at them. */
import { describe, expect } from "vitest";
import { publishingHost, pullRequestHost } from "../../src/exchange/scm/host/ports.ts";
import { makeStack } from "../support/fixtures.ts";
import { hostStack, makeIntegration } from "../support/scm.ts";
import { test } from "../support/scmHostTest.ts";

test.afterEach(({ host }) => {
  host.script = () => undefined;
  host.requests.length = 0;
  host.minted.length = 0;
  host.pulls.clear();
  host.pageSize = 100;
  host.tokenLifetimeMs = 3_600_000;
});

describe("pull requests", () => {
  test("are asked for reviews, merging and checks only where a stack wants to know", async ({
    database,
    hosts,
    orgId,
    host,
    first,
  }) => {
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
  test("is asked for the files of those alone that changed since", async ({ database, hosts, orgId, host, first }) => {
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

describe("publishing", () => {
  test("changes the comment it made, finds one by its marker, makes one that is gone anew", async ({
    database,
    hosts,
    orgId,
    host,
  }) => {
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

  test("finds the integration by any stack's address: an older one that is written otherwise hides nothing", async ({
    database,
    host,
    orgId,
    hosts,
    first,
  }) => {
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

  test("has nobody to tell about a public repository", async ({ database, hosts, orgId, host }) => {
    const port = publishingHost(database.db, hosts.hosts);
    const at = { orgId, repositoryKey: host.repositoryKey };
    expect(await port.putComment(at, { number: 3, commentId: null, marker: "m", body: "m" })).toBeNull();
    expect(host.requests).toEqual([]);
  });
});
