/**
 * Pushes bring stacks up to the branch's head: a real repository behind a host that answers as documented
 * (docs/rules/source-control.md#pushes).
 */
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AuthConfig } from "../../src/exchange/scm/authConfig.ts";
import { retryEvent } from "../../src/exchange/scm/events.ts";
import { addEvents, branchKey } from "../../src/exchange/scm/inbox.ts";
import { processBranch } from "../../src/exchange/scm/processBranch.ts";
import type { IntegrationRow } from "../../src/exchange/scm/schema.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { makeOrg, type TestService, testService } from "../support/fixtures.ts";
import { hostStack, makeIntegration, POLICY, type TestHosts, testHosts } from "../support/scm.ts";
import { APP_ID, INSTALLATION, ScriptedHost } from "../support/scriptedHost.ts";

let database: TestDatabase;
let host: ScriptedHost;
let hosts: TestHosts;
let service: TestService;
let orgId: string;
let integration: IntegrationRow;
let first: string;

beforeAll(async () => {
  [database, host] = await Promise.all([freshDatabase(), ScriptedHost.start()]);
  hosts = testHosts();
  service = testService(database);
  first = await host.commit({ "network/main.tf": "1", "app/main.tf": "1", "README.md": "1" });
});
afterAll(async () => {
  await hosts.egress.close();
  await Promise.all([host.stop(), database.close()]);
});
beforeEach(async () => {
  ({ orgId } = await makeOrg(database));
  integration = await makeIntegration(database, hosts.keyring, orgId, host);
  host.requests.length = 0;
});
afterEach(() => {
  host.script = () => undefined;
});

const stack = (directory: string, settings: object = {}) =>
  hostStack(database, orgId, host, { working_directory: directory, ...settings });

async function arrive(before: string | null, after: string, branch = "main"): Promise<void> {
  const event = {
    externalId: randomUUID(),
    kind: "push_branch_changed",
    branch,
    prNumber: null,
    before,
    after,
  } as const;
  const at = { orgId, integrationId: integration.id, repositoryKey: host.repositoryKey };
  await unitOfWork(service, (work) => addEvents(work, at, [event]));
}

const process = (branch = "main") => {
  const key = branchKey(integration.id, host.repositoryKey, branch);
  return processBranch({ service, hosts: hosts.hosts, policy: POLICY }, key);
};

async function pushed(before: string | null, after: string, branch = "main") {
  await arrive(before, after, branch);
  return process(branch);
}

const events = () => database.sql`
  select status, attempts, last_error from scm_events where integration_id = ${integration.id} order by id`;
const deployments = (stackKey: string) => database.sql`
  select commit_sha, commit_message, commit_author, origin_type, created_by, mode, status, origin_scm_event_id from deployments
  where stack_key = ${stackKey} order by id`;
const commits = async (stackKey: string) => (await deployments(stackKey)).map((row) => row.commit_sha);
const synced = async (stackKey: string) =>
  (await database.sql`select data from domain_events where stack_key = ${stackKey} and name = 'stack_synced'`).map(
    (row) => row.data,
  );

describe("a push", () => {
  it("syncs the stacks it touches, and only those, with author and message from the host", async () => {
    const [network, app, root] = [await stack("network"), await stack("app"), await stack(".")];
    const after = await host.commit({ "network/main.tf": "2" }, { message: "Widen the network" });
    expect(await pushed(first, after)).toEqual({ open: 0, nextMs: null });
    const [made] = await deployments(network);
    expect(made).toMatchObject({
      commit_sha: after,
      commit_message: "Widen the network",
      commit_author: "Ann Author",
      origin_type: "push",
      created_by: null,
      mode: "plan",
      status: "pending",
    });
    expect(made?.origin_scm_event_id).not.toBeNull();
    expect(await commits(root)).toEqual([after]);
    expect(await commits(app)).toEqual([]);
    expect(await synced(network)).toMatchObject([
      { commit_sha: after, commit_message: "Widen the network", commit_author: "Ann Author" },
    ]);
    const compared = await database.sql`select distinct last_compared_commit from stacks where org_id = ${orgId}`;
    expect(compared.map((row) => row.last_compared_commit)).toEqual([after]);
    expect(JSON.stringify(await synced(network))).not.toContain("ann@corp.example");
  });

  it("that comes twice makes one deployment", async () => {
    const network = await stack("network");
    const after = await host.commit({ "network/main.tf": "twice" });
    await pushed(first, after);
    await pushed(first, after);
    await arrive(first, after);
    await arrive(first, after);
    await Promise.all([process(), process()]);
    expect(await commits(network)).toEqual([after]);
    expect(await synced(network)).toHaveLength(1);
  });

  it("tells stack_synced also where it deploys nothing", async () => {
    const network = await stack("network", { deploy_on_push: false });
    await pushed(first, await host.commit({ "network/main.tf": "quiet" }));
    expect(await commits(network)).toEqual([]);
    expect(await synced(network)).toHaveLength(1);
  });

  it("that was missed is made good by the next one: stacks are compared with what they were compared with last", async () => {
    const [network, app] = [await stack("network"), await stack("app")];
    const start = (await host.head("main")) as string;
    await pushed(start, await host.commit({ "app/main.tf": "a" }));
    const missed = await host.commit({ "network/main.tf": "missed" });
    const next = await host.commit({ "README.md": "next" });
    await pushed(missed, next);
    expect(await commits(network)).toEqual([next]);
    expect(await commits(app)).toHaveLength(1);
  });

  it("whose delivery is late does not bring the old commit back", async () => {
    const network = await stack("network");
    const start = (await host.head("main")) as string;
    const older = await host.commit({ "network/main.tf": "older" });
    const newer = await host.commit({ "network/main.tf": "newer" });
    await pushed(older, newer);
    await pushed(start, older);
    expect(await commits(network)).toEqual([newer]);
  });

  it("to a branch of no stack, or one that is gone, does nothing", async () => {
    const network = await stack("network");
    const gone = await stack("network", { branch: "gone" });
    await arrive(first, first, "feature/x");
    expect(await events()).toEqual([]);
    await pushed(first, first, "gone");
    // The host may not know yet of what it has told.
    expect(await events()).toMatchObject([{ status: "failed", last_error: expect.stringContaining("older") }]);
    await database.sql`update scm_events set due_at = svc_now() where integration_id = ${integration.id}`;
    await process("gone");
    expect([await commits(network), await commits(gone)]).toEqual([[], []]);
    expect(await events()).toMatchObject([{ status: "processed" }]);
  });

  it("works on branches with / % # in their name", async () => {
    const branch = "release/50%#1";
    const after = await host.commit({ "network/main.tf": branch }, { branch });
    const network = await stack("network", { branch });
    await pushed(null, after, branch);
    expect(await commits(network)).toEqual([after]);
  });
});

describe("three pushes", () => {
  it("in any order, any number of times, with looks in between or not, end at the same head", async () => {
    const branch = `order-${randomUUID()}`;
    const shas = [(await host.head("main")) as string];
    for (const n of [1, 2, 3]) shas.push(await host.commit({ "network/main.tf": `${branch} ${n}` }, { branch }));
    const orders = [
      [0, 1, 2],
      [2, 1, 0],
      [1, 0, 2],
      [2, 0, 1],
      [0, 2, 1],
      [1, 2, 0],
      [2, 2, 0, 0, 1, 1],
      [0, 1, 0, 2, 1],
    ];
    for (const [i, order] of orders.entries()) {
      ({ orgId } = await makeOrg(database));
      integration = await makeIntegration(database, hosts.keyring, orgId, host);
      const [network, app] = [await stack("network", { branch }), await stack("app", { branch })];
      for (const n of order) {
        await arrive(shas[n] as string, shas[n + 1] as string, branch);
        if (i % 2 === 0) await process(branch);
      }
      expect(await process(branch)).toEqual({ open: 0, nextMs: null });
      const compared =
        await database.sql`select distinct last_compared_commit as sha from stacks where org_id = ${orgId}`;
      expect(compared).toEqual([{ sha: shas[3] }]);
      expect([await commits(network), await commits(app)]).toEqual([[shas[3]], []]);
    }
  });
});

describe("what changed", () => {
  it("is not asked when there was no commit before, or only stacks at the root", async () => {
    const [network, root] = [await stack("network"), await stack(".")];
    const head = (await host.head("main")) as string;
    await pushed(null, head);
    expect([await commits(network), await commits(root)]).toEqual([[head], [head]]);
    expect(host.asked.filter((path) => path.includes("compare"))).toEqual([]);
  });

  it("after a forced push is what either side changed", async () => {
    const [network, app, other] = [await stack("network"), await stack("app"), await stack("other")];
    const base = (await host.head("main")) as string;
    const taken = await host.commit({ "network/main.tf": "taken back" });
    await database.sql`update stacks set last_compared_commit = ${taken} where org_id = ${orgId}`;
    const forced = await host.commit({ "app/main.tf": "instead" }, { from: base, force: true });
    await pushed(taken, forced);
    expect([await commits(network), await commits(app), await commits(other)]).toEqual([[forced], [forced], []]);
  });

  it("counts a renamed file under both names", async () => {
    const [old, renamed] = [await stack("network"), await stack("moved")];
    const before = await host.commit({ "network/big.tf": "the same long content\n".repeat(20) });
    const after = await host.commit({ "network/big.tf": null, "moved/big.tf": "the same long content\n".repeat(20) });
    await pushed(before, after);
    expect([await commits(old), await commits(renamed)]).toEqual([[after], [after]]);
  });

  it("is everything when the host's list reaches its cap of 300", async () => {
    const app = await stack("app");
    const before = (await host.head("main")) as string;
    const many = Object.fromEntries(Array.from({ length: 301 }, (_, i) => [`bulk/${i}.txt`, String(i)]));
    const after = await host.commit(many);
    await pushed(before, after);
    expect(await commits(app)).toEqual([after]);
  });

  it.each([
    ["is too large to be read", { status: 200, body: { status: "ahead", files: [], pad: "x".repeat(17 * 1_048_576) } }],
    ["is too large for the host (406)", { status: 406, body: {} }],
    ["names a commit the host does not know (404)", { status: 404, body: {} }],
    ["comes without files", { status: 200, body: { status: "ahead" } }],
  ])("is everything when the comparison %s", async (_, reply) => {
    const app = await stack("app");
    const before = (await host.head("main")) as string;
    const after = await host.commit({ "network/main.tf": randomUUID() });
    host.script = ({ path }) => (path.includes("/compare/") ? reply : undefined);
    await pushed(before, after);
    expect(await commits(app)).toEqual([after]);
  });
});

describe("a host that fails", () => {
  it.each([
    [
      "answers 500",
      { status: 500, body: { message: "https://x-access-token:SECRET@host.example" } },
      "could not be reached",
    ],
    ["hangs", "hang" as const, "could not be reached"],
    ["answers nonsense", { status: 200, body: { status: "sideways", files: [] } }, "could not be understood"],
    ["refuses", { status: 403, body: {} }, "refused"],
    ["has moved the repository", { status: 301, headers: { location: "http://127.0.0.1:1/" } }, "has moved"],
  ])("on compare: one that %s fails the event for a later try, which succeeds", async (_, reply, text) => {
    const [network, app] = [await stack("network"), await stack("app")];
    const before = (await host.head("main")) as string;
    const after = await host.commit({ "network/main.tf": randomUUID() });
    host.script = ({ path }) => (path.includes("/compare/") ? reply : undefined);
    const { open, nextMs } = await pushed(before, after);
    expect(open).toBe(1);
    expect(nextMs).toBeGreaterThan(0);
    const [failed] = await events();
    expect(failed).toMatchObject({ status: "failed", attempts: 1 });
    expect(failed?.last_error).toContain(text);
    expect(failed?.last_error).not.toMatch(/SECRET|http:|https:|token/i);
    expect(await commits(network)).toEqual([]);
    host.script = () => undefined;
    await database.sql`update scm_events set due_at = svc_now() where integration_id = ${integration.id}`;
    expect(await process()).toEqual({ open: 0, nextMs: null });
    expect([await commits(network), await commits(app)]).toEqual([[after], []]);
  });

  it("is given up after the last try, with one scm_sync_failed, and can be tried again", async () => {
    const network = await stack("network");
    const after = await host.commit({ "network/main.tf": randomUUID() });
    host.script = ({ path }) => (path.includes("/branches/") ? { status: 503 } : undefined);
    await arrive(first, after);
    for (let i = 0; i < POLICY.maxAttempts; i++) {
      await database.sql`update scm_events set due_at = svc_now() where integration_id = ${integration.id}`;
      await process();
    }
    expect(await events()).toMatchObject([{ status: "dead", attempts: POLICY.maxAttempts }]);
    expect(await process()).toEqual({ open: 0, nextMs: null });
    const told =
      await database.sql`select stack_key, data from domain_events where org_id = ${orgId} and name = 'scm_sync_failed'`;
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({
      stack_key: null,
      data: {
        inbox_event_type: "push_branch_changed",
        base_branch: "main",
        pr_number: null,
        attempt_count: POLICY.maxAttempts,
      },
    });
    expect(await commits(network)).toEqual([]);
  });

  it("by hiding the repository, as from an app that was taken away, loses no push", async () => {
    const network = await stack("network");
    const auth: AuthConfig = { kind: "app", app_id: APP_ID, private_key: host.appKey };
    await database.sql`delete from scm_integrations where org_id = ${orgId}`;
    integration = await makeIntegration(database, hosts.keyring, orgId, host, { auth });
    const after = await host.commit({ "network/main.tf": randomUUID() });
    host.installation = null;
    await arrive(first, after);
    for (let i = 0; i < POLICY.maxAttempts; i++) {
      await database.sql`update scm_events set due_at = svc_now() where integration_id = ${integration.id}`;
      await process();
    }
    expect(await events()).toMatchObject([{ status: "dead", last_error: expect.stringContaining("not installed") }]);
    const told =
      await database.sql`select data from domain_events where org_id = ${orgId} and name = 'scm_sync_failed'`;
    expect(told.map(({ data }) => data.last_error)).toEqual([expect.stringContaining(integration.name)]);
    host.installation = INSTALLATION;
    const [dead] = await database.sql`select id from scm_events where integration_id = ${integration.id}`;
    await retryEvent(service, { id: "ann", kind: "user" }, dead?.id);
    expect(await process()).toEqual({ open: 0, nextMs: null });
    expect(await commits(network)).toEqual([after]);
  });

  it("by showing the credentials nothing of the repository is no word about its branch", async () => {
    await stack("network");
    host.script = () => ({ status: 404, body: { message: "Not Found" } });
    await pushed(first, (await host.head("main")) as string);
    expect(await events()).toMatchObject([{ status: "failed", last_error: expect.stringContaining("hides") }]);
  });

  it.each([
    ["Retry-After", { status: 429, headers: { "retry-after": "90" } }, 90_000],
    [
      "a spent budget",
      {
        status: 403,
        headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(Math.ceil(Date.now() / 1000) + 300) },
      },
      280_000,
    ],
  ])("and says when to come again (%s) is not asked before", async (_, reply, least) => {
    await stack("network");
    host.script = ({ path }) => (path.includes("/branches/") ? reply : undefined);
    const { nextMs } = await pushed(first, (await host.head("main")) as string);
    expect(nextMs).toBeGreaterThan(least - 20_000);
    expect((await events())[0]?.last_error).toContain("left alone");
  });

  it("by being behind the delivery gets one more chance", async () => {
    const network = await stack("network");
    const old = (await host.head("main")) as string;
    const after = await host.commit({ "network/main.tf": randomUUID() }, { branch: "elsewhere", from: "main" });
    await pushed(old, after);
    expect(await events()).toMatchObject([{ status: "failed", attempts: 1 }]);
    await host.reset("main", after);
    await database.sql`update scm_events set due_at = svc_now() where integration_id = ${integration.id}`;
    await process();
    expect(await commits(network)).toEqual([after]);
  });
});

describe("a stack that is changed while its host is asked", () => {
  it.each<[string, object]>([
    ["branch", { branch: "next" }],
    ["repository", { repository_url: "https://git.example/acme/other.git", repository_key: "git.example/acme/other" }],
    ["directory", { working_directory: "app" }],
  ])("by its %s, is left alone though it was never compared before", async (_, change) => {
    const network = await stack("network");
    const before = (await host.head("main")) as string;
    const after = await host.commit({ "network/main.tf": randomUUID() });
    host.script = async ({ path }) => {
      if (!path.includes("/compare/")) return undefined;
      await database.sql`update stacks set ${database.sql(change as never)} where stack_key = ${network}`;
      return undefined;
    };
    await pushed(before, after);
    expect(await commits(network)).toEqual([]);
  });
});

describe("whose repository it is", () => {
  it("decides the stack's own address: one that is another integration's is left alone", async () => {
    await makeIntegration(database, hosts.keyring, orgId, host, { priority: 1, urlPattern: "\\.git$" });
    const [theirs, ours] = [
      await stack("network"),
      await stack("network", { repository_url: host.repositoryUrl.replace(/\.git$/, "") }),
    ];
    const after = await host.commit({ "network/main.tf": randomUUID() });
    await pushed(first, after);
    expect([await commits(theirs), await commits(ours)]).toEqual([[], [after]]);
  });

  it("120 stacks of one push are synced together", async () => {
    const keys = await Promise.all(Array.from({ length: 120 }, () => stack("network")));
    const before = (await host.head("main")) as string;
    const after = await host.commit({ "network/main.tf": randomUUID() });
    host.requests.length = 0;
    await pushed(before, after);
    const made =
      await database.sql`select count(*)::int as n from deployments where stack_key = any(${keys}::uuid[]) and commit_sha = ${after}`;
    expect(made[0]?.n).toBe(120);
    expect(host.requests).toHaveLength(2);
  });
});
