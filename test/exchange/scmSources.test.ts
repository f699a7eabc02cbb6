/** Where a run's code comes from: clone credentials, and the head of a branch. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect } from "vitest";
import { resolveHead } from "../../src/exchange/scm/resolveCommit.ts";
import { cloneCredentials, headOf } from "../../src/exchange/scm/source.ts";
import { makeIntegration } from "../support/scm.ts";
import { failure, test } from "../support/scmHostTest.ts";
import type { ScriptedHost } from "../support/scriptedHost.ts";

const git = promisify(execFile);
async function cloned(host: ScriptedHost, credentials: { username: string; password: string } | null): Promise<string> {
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

describe("sources", () => {
  test("a private repository is cloned with an app's token that reads this repository and nothing else", async ({
    world,
  }) => {
    const { database, host, hosts, orgId, appAuth, mint } = world;
    await makeIntegration(database, hosts.keyring, orgId, host, { auth: appAuth() });
    const credentials = await mint();
    expect(await cloned(host, credentials)).toBe(await host.head("main"));
    expect(host.minted.at(-1)?.body).toEqual({ repositories: ["infra"], permissions: { contents: "read" } });
    await mint();
    expect(host.minted).toHaveLength(1);
    await expect(cloned(host, null)).rejects.toThrow();
    // Taken back before its time: no run is given it.
    host.revoke(credentials?.password as string);
    expect(await cloned(host, await mint())).toBe(await host.head("main"));
    expect(host.minted).toHaveLength(2);
  });

  test("a run of the repository's own code gets one that reads its owner's other repositories; a fork's gets none", async ({
    world,
  }) => {
    const { database, host, hosts, orgId, appAuth, mint } = world;
    await makeIntegration(database, hosts.keyring, orgId, host, { auth: appAuth() });
    const credentials = await mint(false);
    const bodies = host.minted.map(({ body }) => body);
    expect(bodies).toContainEqual({ permissions: { contents: "read" } });
    expect(bodies).toContainEqual({ repositories: ["infra"], permissions: { contents: "read" } });
    expect(bodies).toHaveLength(2);
    expect(credentials?.owner?.password).not.toBe(credentials?.password);
    // Kept, as long as the host takes it.
    expect(await mint(false)).toEqual(credentials);
    host.revoke(credentials?.owner?.password as string);
    expect((await mint(false))?.owner?.password).toBe(host.minted.at(-1)?.token);
    expect(host.minted).toHaveLength(3);
    expect(await mint(true)).toEqual({ ...credentials, owner: undefined });
  });

  test("another port, and plain http where the API is https, get no token", async ({ world }) => {
    const { database, host, hosts, orgId, mint } = world;
    const { id } = await makeIntegration(database, hosts.keyring, orgId, host);
    expect(await mint(false)).toMatchObject({ password: host.token, owner: { password: host.token } });
    expect(await mint(false, "http://127.0.0.1:9/acme/infra.git")).toBeNull();
    const serves = async (apiBaseUrl: string, repositoryUrl: string) => {
      await database.sql`update scm_integrations set api_base_url = ${apiBaseUrl}, updated_at = now() where id = ${id}`;
      return (await mint(true, repositoryUrl)) !== null;
    };
    const api = "https://127.0.0.1:3000/api/v3";
    expect(await serves(api, "https://127.0.0.1:3000/acme/infra.git")).toBe(true);
    expect(await serves(api, "https://127.0.0.1/acme/infra.git")).toBe(true);
    expect(await serves(api, "https://127.0.0.1:8443/acme/infra.git")).toBe(false);
    expect(await serves(api, "http://127.0.0.1:3000/acme/infra.git")).toBe(false);
    expect(await serves("https://127.0.0.1/api/v3", "http://127.0.0.1/acme/infra.git")).toBe(false);
  });

  test("a token that is about to end is not handed out", async ({ world }) => {
    const { database, host, hosts, orgId, appAuth, mint } = world;
    await makeIntegration(database, hosts.keyring, orgId, host, { auth: appAuth() });
    host.tokenLifetimeMs = 60_000;
    await mint();
    host.tokenLifetimeMs = 3_600_000;
    const credentials = await mint();
    expect(credentials?.password).toBe(host.minted.at(-1)?.token);
  });

  test("a public one, ssh, and an integration without credentials need none", async ({ world }) => {
    const { database, host, hosts, orgId, mint } = world;
    expect(await mint()).toBeNull();
    await makeIntegration(database, hosts.keyring, orgId, host, { auth: { kind: "none" } });
    expect(await mint()).toBeNull();
    expect(
      await cloneCredentials(database.db, hosts.hosts, {
        orgId,
        repositoryUrl: "git@127.0.0.1:acme/infra.git",
        isForeign: false,
      }),
    ).toBeNull();
  });

  test("a pattern that matches another host's address gives that host no token", async ({ world }) => {
    const { database, host, hosts, orgId } = world;
    await makeIntegration(database, hosts.keyring, orgId, host, { urlPattern: "acme/infra" });
    const elsewhere = "https://evil.example/acme/infra.git";
    expect(
      await cloneCredentials(database.db, hosts.hosts, { orgId, repositoryUrl: elsewhere, isForeign: false }),
    ).toBeNull();
    expect(await headOf(database.db, hosts.hosts, { orgId, repositoryUrl: elsewhere, branch: "main" })).toBeUndefined();
  });

  test("a host that gives none is 503, without its words", async ({ world }) => {
    const { database, host, hosts, orgId, appAuth, mint } = world;
    await makeIntegration(database, hosts.keyring, orgId, host, { auth: appAuth() });
    host.script = () => ({ status: 500, body: { message: "CANARY" } });
    const error = await failure(mint());
    expect(error).toMatchObject({ status: 503, code: "credentials_unavailable" });
    expect(`${error.message}${error.stack}`).not.toContain("CANARY");
  });

  test("a branch's head comes from the integration, with author and message; a tag of that name is not it", async ({
    world,
  }) => {
    const { database, host, hosts, first, orgId } = world;
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
    world,
  }) => {
    const { host, first, orgId } = world;
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
