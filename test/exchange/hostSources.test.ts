/** Where a run's source comes from: a code host's archive, or git. */
import { describe, expect } from "vitest";
import { resolveHead } from "../../src/exchange/scm/resolveCommit.ts";
import { cloneCredentials, headOf } from "../../src/exchange/scm/source.ts";
import { makeIntegration } from "../support/scm.ts";
import { failure, test } from "../support/scmHostTest.ts";

test.afterEach(({ host }) => {
  host.script = () => undefined;
  host.requests.length = 0;
  host.minted.length = 0;
  host.pulls.clear();
  host.pageSize = 100;
  host.tokenLifetimeMs = 3_600_000;
});

describe("sources", () => {
  test("a private repository is cloned with an app's token that reads this repository and nothing else", async ({
    database,
    hosts,
    orgId,
    host,
    world,
  }) => {
    await makeIntegration(database, hosts.keyring, orgId, host, { auth: world.appAuth() });
    const credentials = await world.mint();
    expect(await world.cloned(credentials)).toBe(await host.head("main"));
    expect(host.minted.at(-1)?.body).toEqual({ repositories: ["infra"], permissions: { contents: "read" } });
    await world.mint();
    expect(host.minted).toHaveLength(1);
    await expect(world.cloned(null)).rejects.toThrow();
  });

  test("a token that is about to end is not handed out", async ({ database, hosts, orgId, host, world }) => {
    await makeIntegration(database, hosts.keyring, orgId, host, { auth: world.appAuth() });
    host.tokenLifetimeMs = 60_000;
    await world.mint();
    host.tokenLifetimeMs = 3_600_000;
    const credentials = await world.mint();
    expect(credentials?.password).toBe(host.minted.at(-1)?.token);
  });

  test("a public one, ssh, and an integration without credentials need none", async ({
    database,
    hosts,
    orgId,
    host,
    world,
  }) => {
    expect(await world.mint()).toBeNull();
    await makeIntegration(database, hosts.keyring, orgId, host, { auth: { kind: "none" } });
    expect(await world.mint()).toBeNull();
    expect(
      await cloneCredentials(database.db, hosts.hosts, { orgId, repositoryUrl: "git@127.0.0.1:acme/infra.git" }),
    ).toBeNull();
  });

  test("a pattern that matches another host's address gives that host no token", async ({
    database,
    hosts,
    orgId,
    host,
  }) => {
    await makeIntegration(database, hosts.keyring, orgId, host, { urlPattern: "acme/infra" });
    const elsewhere = "https://evil.example/acme/infra.git";
    expect(await cloneCredentials(database.db, hosts.hosts, { orgId, repositoryUrl: elsewhere })).toBeNull();
    expect(await headOf(database.db, hosts.hosts, { orgId, repositoryUrl: elsewhere, branch: "main" })).toBeUndefined();
  });

  test("a host that gives none is 503, without its words", async ({ database, hosts, orgId, host, world }) => {
    await makeIntegration(database, hosts.keyring, orgId, host, { auth: world.appAuth() });
    host.script = () => ({ status: 500, body: { message: "CANARY" } });
    const error = await failure(world.mint());
    expect(error).toMatchObject({ status: 503, code: "credentials_unavailable" });
    expect(`${error.message}${error.stack}`).not.toContain("CANARY");
  });

  test("a branch's head comes from the integration, with author and message; a tag of that name is not it", async ({
    database,
    hosts,
    orgId,
    host,
    first,
  }) => {
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

  test("of a public repository git is asked, and an annotated tag is not mistaken for its commit", async ({
    host,
    first,
    orgId,
  }) => {
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
