/** An app's tokens: minted once, shared, replaced when the host takes them back. */
import { describe, expect } from "vitest";
import { branchHead } from "../../src/exchange/scm/host/commits.ts";
import { makeIntegration } from "../support/scm.ts";
import { failure, test } from "../support/scmHostTest.ts";
import { INSTALLATION, ScriptedHost } from "../support/scriptedHost.ts";

describe("an app's tokens", () => {
  test("are minted once for many calls at once, for the installation given or the owner's", async ({ world }) => {
    const { host, first, appAuth, calls } = world;
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

  test("are replaced once when the host takes one back", async ({ world }) => {
    const { host, first, appAuth, calls } = world;
    const repository = await calls(appAuth());
    await branchHead(repository, "main");
    host.revoke(host.minted[0]?.token as string);
    expect((await branchHead(repository, "main"))?.sha).toBe(first);
    expect(host.minted).toHaveLength(2);
    host.script = ({ path }) => (path.includes("/branches/") ? { status: 401 } : undefined);
    expect(await failure(branchHead(repository, "main"))).toMatchObject({ failure: "refused", hostStatus: 401 });
    expect(host.minted).toHaveLength(3);
  });

  test("are replaced together: many calls that were refused one token share the next", async ({ world }) => {
    const { host, first, appAuth, calls } = world;
    const repository = await calls(appAuth());
    await branchHead(repository, "main");
    host.revoke(host.minted[0]?.token as string);
    const heads = await Promise.all(Array.from({ length: 6 }, () => branchHead(repository, "main")));
    expect(new Set(heads.map((head) => head?.sha))).toEqual(new Set([first]));
    expect(host.minted).toHaveLength(2);
  });

  test("are not asked for again and again where a new one is refused as well", async ({ world }) => {
    const { host, appAuth, calls } = world;
    const repository = await calls(appAuth());
    host.script = ({ path }) => (path.includes("/branches/") ? { status: 403, body: { message: "No" } } : undefined);
    for (let i = 0; i < 20; i++) {
      expect(await failure(branchHead(repository, "main"))).toMatchObject({ failure: "refused", hostStatus: 403 });
    }
    expect(host.minted).toHaveLength(2);
  });

  test("come from the installation of today: one that was taken away and made anew is found without a restart", async ({
    world,
  }) => {
    const { database, host, hosts, first, orgId, appAuth, mint } = world;
    const integration = await makeIntegration(database, hosts.keyring, orgId, host, { auth: appAuth() });
    const repository = await hosts.hosts.repository(integration, host.repositoryKey);
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

  test("of two integrations with equal installation numbers are never shared, however they race", async ({ world }) => {
    const { database, hosts, orgId, appAuth, calls } = world;
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

  test("that a key the host does not know signed are refused, without an end of tries", async ({ world }) => {
    const { appAuth, calls } = world;
    const other = await ScriptedHost.start();
    const repository = await calls(appAuth({ private_key: other.appKey }));
    await other.stop();
    expect(await failure(branchHead(repository, "main"))).toMatchObject({ failure: "refused" });
  });
});
