/**
 * What an integration says of its host: whether it answers, why not, and under which names it is known
 * (docs/source-control.md#4-see-that-it-works).
 */
import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { IntegrationRow } from "../../src/exchange/scm/schema.ts";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import { makeOrg, makeStack } from "../support/fixtures.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { hostStack, makeIntegration } from "../support/scm.ts";
import { ScriptedHost } from "../support/scriptedHost.ts";

const keyring = createKeyring({ provider: "aes-256", key: randomBytes(32), previousKeys: [] });

let api: PeopleApi;
let host: ScriptedHost;
let orgId: string;
let token: string;
let integration: IntegrationRow;
let path: string;

beforeAll(async () => {
  const env = { SVC_EGRESS_ALLOW: "127.0.0.1" };
  [api, host] = await Promise.all([startPeopleApi({ keyring, git: "host", env }), ScriptedHost.start()]);
  await host.commit({ "main.tf": "1" });
});
afterAll(async () => {
  await Promise.all([host.stop(), api.close()]);
});
beforeEach(async () => {
  ({ orgId } = await makeOrg(api.database));
  integration = await makeIntegration(api.database, keyring, orgId, host);
  ({ token } = await api.makeAccount(orgId, [
    ["stack", "*"],
    ["scm_integration", "*"],
  ]));
  path = `/api/v1/orgs/${orgId}/scm-integrations/${integration.id}`;
});
afterEach(() => {
  host.script = () => undefined;
});

const read = async () => (await api.call("GET", path, { token })).body;
const test = (body: object = {}) => api.call("POST", `${path}/test`, { token, body });
async function create(key: string) {
  const [row] = await api.database.sql`select slug from stacks where stack_key = ${key}`;
  return api.call("POST", `/api/v1/orgs/${orgId}/stacks/${row?.slug}/deployments`, { token, body: { mode: "plan" } });
}

describe("health", () => {
  it("is when the host answered last, and when and why it did not", async () => {
    expect(await read()).toMatchObject({ last_success_at: null, last_failure: null });
    const key = await hostStack(api.database, orgId, host);
    const { updated_at } = await read();
    expect((await create(key)).status).toBe(201);
    expect(await read()).toMatchObject({
      last_success_at: expect.stringMatching(/Z$/),
      last_failure: null,
      updated_at,
    });
    host.script = () => ({ status: 401 });
    expect((await create(key)).status).toBe(502);
    const { last_success_at, last_failure } = await read();
    expect(last_failure).toEqual({ at: expect.stringMatching(/Z$/), reason: expect.stringContaining("refused") });
    expect(last_failure.at > last_success_at).toBe(true);
    const { body } = await api.call("GET", `/api/v1/orgs/${orgId}/scm-integrations`, { token });
    expect(body.items[0]).toMatchObject({ last_failure });
  });

  it("says nothing of what a host rightly answers: no such branch is no failure", async () => {
    const key = await hostStack(api.database, orgId, host, { branch: "absent" });
    expect((await create(key)).status).toBe(422);
    expect(await read()).toMatchObject({ last_success_at: expect.any(String), last_failure: null });
  });
});

describe("a test call", () => {
  it("asks for a repository of a stack, or the one that is named", async () => {
    expect((await test()).body.errors).toEqual([
      { field: "repository_url", message: expect.stringContaining("required") },
    ]);
    await hostStack(api.database, orgId, host);
    const ok = { ok: true, repository: host.repositoryKey, reason: null };
    expect(await test()).toMatchObject({ status: 200, body: ok });
    expect(await test({ repository_url: host.repositoryUrl })).toMatchObject({ status: 200, body: ok });
    expect(await read()).toMatchObject({ last_success_at: expect.any(String) });
  });

  it("answers with the reason where the host does not", async () => {
    const named = { repository_url: host.repositoryUrl };
    host.script = () => ({ status: 404, body: { message: "Not Found" } });
    expect(await test(named)).toMatchObject({
      status: 200,
      body: { ok: false, reason: expect.stringContaining("hides") },
    });
    host.script = () => ({ status: 503 });
    expect(await test(named)).toMatchObject({ body: { ok: false, reason: expect.stringContaining("HTTP 503") } });
    expect((await read()).last_failure.reason).toContain("HTTP 503");
  });

  it.each([
    [
      "that another integration serves",
      async () => {
        await makeIntegration(api.database, keyring, orgId, host, { priority: 1, urlPattern: "other" });
        return `${host.url}/acme/other.git`;
      },
    ],
    ["of another host", async () => "https://evil.example/acme/infra.git"],
  ] as [string, () => Promise<string>][])("refuses a repository %s", async (_, address) => {
    const { status, body } = await test({ repository_url: await address() });
    expect([status, body.errors?.[0].field]).toEqual([422, "repository_url"]);
  });
});

describe("which integration serves a repository", () => {
  it("is, of equal priority, the one that was made first", async () => {
    const later = await makeIntegration(api.database, keyring, orgId, host);
    const { body } = await api.call("POST", `/api/v1/orgs/${orgId}/scm-integrations/${later.id}/test`, {
      token,
      body: { repository_url: host.repositoryUrl },
    });
    expect(body.errors?.[0].field).toBe("repository_url");
    expect((await test({ repository_url: host.repositoryUrl })).body.ok).toBe(true);
  });
});

describe("a delivery", () => {
  const deliver = async (repository: object) => {
    const before = await host.head("main");
    const delivered = host.delivery("push", { ref: "refs/heads/main", before, after: before, repository });
    const { status, body } = await api.call("POST", `${path}/webhook`, delivered);
    expect(status).toBe(202);
    return body.event_ids.length;
  };
  const served = (repository_url: string, repository_key: string) =>
    makeStack(api.database, orgId, { repository_url, repository_key });
  const told = {
    id: 1,
    clone_url: "https://git.corp.example/acme/infra.git",
    ssh_url: "git@git.corp.example:acme/infra.git",
  };
  const settings = (more: object) => api.database.sql`
    update scm_integrations set ${api.database.sql({ updated_at: new Date(), ...more })} where id = ${integration.id}`;

  it("reaches the stacks of every address that it tells, once each", async () => {
    await served("git@ssh.corp.example:acme/infra.git", "ssh.corp.example/acme/infra");
    await served("https://git.corp.example/acme/infra.git", "git.corp.example/acme/infra");
    await settings({ url_pattern: "corp\\.example[:/]acme/" });
    expect(await deliver({ ...told, ssh_url: "git@ssh.corp.example:acme/infra.git" })).toBe(2);
  });

  it("reaches stacks under a name of the host that is not told, once the integration lists it", async () => {
    await served("git@ssh.corp.example:acme/infra.git", "ssh.corp.example/acme/infra");
    await settings({ url_pattern: "corp\\.example[:/]acme/" });
    expect(await deliver(told)).toBe(0);
    await settings({ host_names: ["ssh.corp.example"] });
    expect(await deliver(told)).toBe(1);
    await settings({ url_pattern: "^git@ssh\\.corp\\.example:acme/" });
    expect(await deliver(told)).toBe(1);
  });

  it("of the public host reaches what is fetched from behind a firewall", async () => {
    await served("ssh://git@ssh.github.com:443/acme/infra.git", "ssh.github.com/acme/infra");
    await settings({ api_base_url: null, url_pattern: "github\\.com(:\\d+)?[:/]acme/" });
    expect(await deliver({ id: 1, clone_url: "https://github.com/acme/infra.git" })).toBe(1);
  });
});
