/**
 * What fails outside is never told as a bug: each way in which a code host or a key can fail, on each route that needs
 * it (docs/rules/api.md#problems).
 */
import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { syncPullRequests } from "../../src/core/pullRequests/sync.ts";
import { pullRequestHost } from "../../src/exchange/scm/host/ports.ts";
import { KnownIntegrations } from "../../src/exchange/scm/knownIntegrations.ts";
import type { IntegrationRow } from "../../src/exchange/scm/schema.ts";
import { secretPlace } from "../../src/people/sso/sourceSecret.ts";
import { createKeyring, type Keyring } from "../../src/platform/crypto/keyring.ts";
import { claim, makeOrg } from "../support/fixtures.ts";
import { type Answer, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { previewsOf } from "../support/pullRequests.ts";
import { hostStack, makeIntegration, type TestHosts, testHosts } from "../support/scm.ts";
import { type HostReply, ScriptedHost } from "../support/scriptedHost.ts";

const anyKeyring = () => createKeyring({ provider: "aes-256", key: randomBytes(32), previousKeys: [] });
const keyring = anyKeyring();

let api: PeopleApi;
let host: ScriptedHost;
let hosts: TestHosts;
let org: { orgId: string; groupId: string };
let token: string;
let integration: IntegrationRow;
let stack: { key: string; path: string };
let base: string;

beforeAll(async () => {
  const env = { SVC_EGRESS_ALLOW: "127.0.0.1" };
  [api, host] = await Promise.all([startPeopleApi({ keyring, git: "host", env }), ScriptedHost.start()]);
  hosts = testHosts(2_000, keyring);
  base = await host.commit({ "network/main.tf": "1", "edge/main.tf": "1" });
});
afterAll(async () => {
  await hosts.egress.close();
  await Promise.all([host.stop(), api.close()]);
});
beforeEach(async () => {
  org = await makeOrg(api.database);
  integration = await makeIntegration(api.database, keyring, org.orgId, host);
  const key = await hostStack(api.database, org.orgId, host, { working_directory: "network", pr_plan_mode: "auto" });
  const [row] = await api.database.sql`select slug from stacks where stack_key = ${key}`;
  stack = { key, path: `/api/v1/orgs/${org.orgId}/stacks/${row?.slug}` };
  ({ token } = await api.makeAccount(org.orgId, [
    ["stack", "*"],
    ["scm_integration", "*"],
  ]));
});
afterEach(() => {
  host.script = () => undefined;
  host.pulls.clear();
});

const create = (body: object = {}) =>
  api.call("POST", `${stack.path}/deployments`, { token, body: { mode: "plan", ...body } });
const promote = (force = "") => api.call("POST", `${stack.path}/pull-requests/1/promote${force}`, { token });

/** A request of `head` whose preview has finished, on a stack that was given `stackCommit`. */
async function promotable(head: string, stackCommit: string): Promise<void> {
  const { sql } = api.database;
  host.setPull({ number: 1, base: "main", head: "feature", sha: head, files: [{ filename: "network/main.tf" }] });
  const at = { orgId: org.orgId, repositoryKey: host.repositoryKey, branch: "main" };
  await syncPullRequests(api.service, pullRequestHost(api.database.db, hosts.hosts, integration), at, null);
  const [preview] = await previewsOf(api.database, stack.key);
  const { runId, runnerId } = await claim(api.database, org, preview?.id ?? "");
  await acceptRun(api.service, runId, runnerId);
  const plan_summary = { has_changes: false, counts: null, gaps: [] };
  await reportDone(api.service, runId, runnerId, { status: "success", plan_summary });
  await sql`
    insert into deployments (org_id, stack_key, mode, status, repository_url, branch, working_directory, tool, commit_sha)
    select org_id, stack_key, 'plan', 'queued', repository_url, branch, working_directory, tool, ${stackCommit}
    from stacks where stack_key = ${stack.key}`;
}

const FAILURES: [string, HostReply | "closed", number, RegExp][] = [
  ["503", { status: 503 }, 502, /could not be reached or did not answer in time \(HTTP 503\)/],
  ["503 with a time", { status: 503, headers: { "retry-after": "30" } }, 503, /HTTP 503/],
  ["500", { status: 500 }, 502, /HTTP 500/],
  ["401", { status: 401 }, 502, /refused the integration's credentials.*\(HTTP 401\)/],
  ["403", { status: 403 }, 502, /refused the integration's credentials/],
  ["429", { status: 429, headers: { "retry-after": "17" } }, 503, /left alone/],
  ["429 without a time", { status: 429 }, 503, /left alone/],
  ["a redirect", { status: 301, headers: { location: "http://127.0.0.1:1/" } }, 502, /has moved/],
  ["nonsense", { status: 200, body: [] }, 502, /could not be understood/],
  ["404 for everything", { status: 404, body: { message: "Not Found" } }, 502, /hides the repository/],
  ["a refused connection", "closed", 502, /could not be reached/],
];

function expectReason(
  { status, headers, body }: Answer,
  expected: number,
  reason: RegExp,
  reply: HostReply | "closed",
) {
  expect([status, body.code]).toEqual([expected, "repository_unreachable"]);
  expect(body.detail).toMatch(reason);
  expect(body.detail).toContain(integration.name);
  const asked = typeof reply === "object" ? reply.headers?.["retry-after"] : undefined;
  expect(headers.get("retry-after")).toBe(expected === 503 ? (asked ?? "60") : null);
}

async function failing(reply: HostReply | "closed"): Promise<void> {
  host.script = () => (reply === "closed" ? undefined : reply);
  if (reply !== "closed") return;
  await api.database
    .sql`update scm_integrations set api_base_url = 'http://127.0.0.1:1/api/v3' where id = ${integration.id}`;
}

describe.each(FAILURES)("a code host that answers with %s", (_, reply, status, reason) => {
  it("is the reason why nothing is promoted", async () => {
    await promotable(await host.commit({ "network/main.tf": randomUUID() }, { branch: "feature" }), base);
    await failing(reply);
    expectReason(await promote(), status, reason, reply);
  });

  it("is the reason why nothing is created", async () => {
    await failing(reply);
    expectReason(await create(), status, reason, reply);
  });
});

describe("a head that the stack's commit has not", () => {
  const feature = () =>
    host.commit({ "network/main.tf": randomUUID() }, { branch: `f-${randomUUID()}`, from: base, force: true });
  const onMain = (file: string) => host.commit({ [file]: randomUUID() });

  it("is promoted with a warning where that commit changed other directories", async () => {
    const head = await feature();
    await host.reset("main", base);
    await promotable(head, await onMain("edge/main.tf"));
    const { status, body } = await promote();
    expect([status, body.commit_sha, body.warning]).toEqual([
      201,
      head,
      expect.stringContaining("outside its directory"),
    ]);
  });

  it("is promoted only by force where the plan would take back what that commit changed", async () => {
    const head = await feature();
    await promotable(head, await onMain("network/other.tf"));
    const refused = await promote();
    expect([refused.status, refused.body.code]).toEqual([409, "base_diverged"]);
    const { status, body } = await promote("?force=true");
    expect([status, body.commit_sha, body.warning]).toEqual([201, head, expect.stringContaining("takes them back")]);
  });

  it.each<[string, HostReply]>([
    ["too large for the host", { status: 406 }],
    ["too large to be read", { status: 200, body: { status: "ahead", pad: "x".repeat(17 * 1_048_576) } }],
    ["of a commit that is gone", { status: 404, body: { message: "Not Found" } }],
  ])("is promoted only by force where the comparison is %s", async (_, reply) => {
    const head = await feature();
    await promotable(head, await onMain("network/other.tf"));
    host.script = ({ path }) => (path.includes("/compare/") ? reply : undefined);
    const refused = await promote();
    expect([refused.status, refused.body.code]).toEqual([409, "base_unknown"]);
    const { status, body } = await promote("?force=true");
    expect([status, body.warning]).toEqual([201, expect.stringContaining("could not be found out")]);
  });

  it("is asked about without its files, however large the difference is", async () => {
    const head = await feature();
    await promotable(head, base);
    host.script = ({ path, query }) =>
      path.includes("/compare/") && query.get("page") !== "2" ? { status: 406 } : undefined;
    expect((await promote()).status).toBe(201);
  });
});

describe("a key service that comes back", () => {
  it("opens what it could not: a failure is not kept beside the integration", async () => {
    let away = true;
    const open: Keyring["open"] = (sealed, place) =>
      away ? Promise.reject(new Error("the key service is away")) : keyring.open(sealed, place);
    const known = await new KnownIntegrations(api.database.db, { open }).read(org.orgId);
    await expect(known.secretOf(integration.id)).rejects.toThrow("away");
    away = false;
    expect(await known.secretOf(integration.id)).toBe(host.webhookSecret);
  });
});

describe("a key that is not listed any more", () => {
  const lost = async (answer: Promise<Answer>) => {
    const { status, body } = await answer;
    expect([status, body.code, body.detail]).toEqual([503, "decryption_failed", expect.stringContaining("decrypted")]);
  };
  beforeEach(async () => {
    await api.database.sql`delete from scm_integrations where org_id = ${org.orgId}`;
    integration = await makeIntegration(api.database, anyKeyring(), org.orgId, host);
  });

  it("is told to a host that delivers, which may deliver it again", async () => {
    const { body, headers } = host.push("main", null, base);
    const path = `/api/v1/orgs/${org.orgId}/scm-integrations/${integration.id}/webhook`;
    await lost(api.call("POST", path, { body, headers }));
  });

  it("is told to who creates", () => lost(create()));

  it("is told to who changes the integration without sending its secrets", async () => {
    const path = `/api/v1/orgs/${org.orgId}/scm-integrations/${integration.id}`;
    const settings = { name: "n", url_pattern: "/acme/", api_base_url: "http://127.0.0.1:2/api/v3" };
    await lost(api.call("PUT", path, { token, body: settings }));
  });

  it("is told to who signs in", async () => {
    const { sql } = api.database;
    const id = randomUUID();
    const handle = `h-${id.slice(0, 8)}`;
    await sql`update organizations set login_handle = ${handle} where id = ${org.orgId}`;
    const secret = await anyKeyring().seal(Buffer.from("secret"), secretPlace(id));
    await sql`
      insert into identity_sources (id, org_id, provider_key, source_slug, display_name, oidc_issuer, oidc_client_id,
        oidc_groups_claim, client_secret, enabled)
      values (${id}, ${org.orgId}, 'oidc', 'corp', 'Corp', 'https://login.corp.example', 'c', 'groups', ${secret}, true)`;
    const start = (accept: string) =>
      api.call("GET", `/api/v1/auth/sso/orgs/${handle}/sources/corp/start`, { headers: { accept } });
    await lost(start("application/json"));
    expect((await start("text/html")).status).toBe(503);
  });
});
