/** Pushes and the stacks that follow them: in any order, and only what changed (docs/rules/source-control.md#pushes). */
import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { test } from "../support/pushSyncTest.ts";
import { makeIntegration } from "../support/scm.ts";

test.beforeEach(({ host }) => {
  host.requests.length = 0;
});

test.afterEach(({ host }) => {
  host.script = () => undefined;
});

describe("a push", () => {
  test("syncs the stacks it touches, and only those, with author and message from the host", async ({
    database,
    host,
    world,
  }) => {
    const [network, app, root] = [await world.stack("network"), await world.stack("app"), await world.stack(".")];
    const after = await host.commit({ "network/main.tf": "2" }, { message: "Widen the network" });
    expect(await world.pushed(world.first, after)).toEqual({ open: 0, nextMs: null });
    const [made] = await world.deployments(network);
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
    expect(await world.commits(root)).toEqual([after]);
    expect(await world.commits(app)).toEqual([]);
    expect(await world.synced(network)).toMatchObject([
      { commit_sha: after, commit_message: "Widen the network", commit_author: "Ann Author" },
    ]);
    const compared = await database.sql`select distinct last_compared_commit from stacks where org_id = ${world.orgId}`;
    expect(compared.map((row) => row.last_compared_commit)).toEqual([after]);
    expect(JSON.stringify(await world.synced(network))).not.toContain("ann@corp.example");
  });

  test("that comes twice makes one deployment", async ({ host, world }) => {
    const network = await world.stack("network");
    const after = await host.commit({ "network/main.tf": "twice" });
    await world.pushed(world.first, after);
    await world.pushed(world.first, after);
    await world.arrive(world.first, after);
    await world.arrive(world.first, after);
    await Promise.all([world.process(), world.process()]);
    expect(await world.commits(network)).toEqual([after]);
    expect(await world.synced(network)).toHaveLength(1);
  });

  test("tells stack_synced also where it deploys nothing", async ({ host, world }) => {
    const network = await world.stack("network", { deploy_on_push: false });
    await world.pushed(world.first, await host.commit({ "network/main.tf": "quiet" }));
    expect(await world.commits(network)).toEqual([]);
    expect(await world.synced(network)).toHaveLength(1);
  });

  test("that was missed is made good by the next one: stacks are compared with what they were compared with last", async ({
    host,
    world,
  }) => {
    const [network, app] = [await world.stack("network"), await world.stack("app")];
    const start = (await host.head("main")) as string;
    await world.pushed(start, await host.commit({ "app/main.tf": "a" }));
    const missed = await host.commit({ "network/main.tf": "missed" });
    const next = await host.commit({ "README.md": "next" });
    await world.pushed(missed, next);
    expect(await world.commits(network)).toEqual([next]);
    expect(await world.commits(app)).toHaveLength(1);
  });

  test("whose delivery is late does not bring the old commit back", async ({ host, world }) => {
    const network = await world.stack("network");
    const start = (await host.head("main")) as string;
    const older = await host.commit({ "network/main.tf": "older" });
    const newer = await host.commit({ "network/main.tf": "newer" });
    await world.pushed(older, newer);
    await world.pushed(start, older);
    expect(await world.commits(network)).toEqual([newer]);
  });

  test("to a branch of no stack, or one that is gone, does nothing", async ({ world }) => {
    const network = await world.stack("network");
    const gone = await world.stack("network", { branch: "gone" });
    await world.arrive(world.first, world.first, "feature/x");
    expect(await world.events()).toEqual([]);
    await world.pushed(world.first, world.first, "gone");
    expect([await world.commits(network), await world.commits(gone)]).toEqual([[], []]);
    expect(await world.events()).toMatchObject([{ status: "processed" }]);
  });

  test("works on branches with / % # in their name", async ({ host, world }) => {
    const branch = "release/50%#1";
    const after = await host.commit({ "network/main.tf": branch }, { branch });
    const network = await world.stack("network", { branch });
    await world.pushed(null, after, branch);
    expect(await world.commits(network)).toEqual([after]);
  });
});

describe("three pushes", () => {
  test("in any order, any number of times, with looks in between or not, end at the same head", async ({
    database,
    host,
    makeWorld,
  }) => {
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
      const world = await makeWorld();
      const [network, app] = [await world.stack("network", { branch }), await world.stack("app", { branch })];
      for (const n of order) {
        await world.arrive(shas[n] as string, shas[n + 1] as string, branch);
        if (i % 2 === 0) await world.process(branch);
      }
      expect(await world.process(branch)).toEqual({ open: 0, nextMs: null });
      const compared =
        await database.sql`select distinct last_compared_commit as sha from stacks where org_id = ${world.orgId}`;
      expect(compared).toEqual([{ sha: shas[3] }]);
      expect([await world.commits(network), await world.commits(app)]).toEqual([[shas[3]], []]);
    }
  });
});

describe("what changed", () => {
  test("is not asked when there was no commit before, or only stacks at the root", async ({ host, world }) => {
    const [network, root] = [await world.stack("network"), await world.stack(".")];
    const head = (await host.head("main")) as string;
    await world.pushed(null, head);
    expect([await world.commits(network), await world.commits(root)]).toEqual([[head], [head]]);
    expect(host.asked.filter((path) => path.includes("compare"))).toEqual([]);
  });

  test("after a forced push is what either side changed", async ({ database, host, world }) => {
    const [network, app, other] = [await world.stack("network"), await world.stack("app"), await world.stack("other")];
    const base = (await host.head("main")) as string;
    const taken = await host.commit({ "network/main.tf": "taken back" });
    await database.sql`update stacks set last_compared_commit = ${taken} where org_id = ${world.orgId}`;
    const forced = await host.commit({ "app/main.tf": "instead" }, { from: base, force: true });
    await world.pushed(taken, forced);
    expect([await world.commits(network), await world.commits(app), await world.commits(other)]).toEqual([
      [forced],
      [forced],
      [],
    ]);
  });

  test("counts a renamed file under both names", async ({ host, world }) => {
    const [old, renamed] = [await world.stack("network"), await world.stack("moved")];
    const before = await host.commit({ "network/big.tf": "the same long content\n".repeat(20) });
    const after = await host.commit({ "network/big.tf": null, "moved/big.tf": "the same long content\n".repeat(20) });
    await world.pushed(before, after);
    expect([await world.commits(old), await world.commits(renamed)]).toEqual([[after], [after]]);
  });

  test("is everything when the host's list reaches its cap of 300", async ({ host, world }) => {
    const app = await world.stack("app");
    const before = (await host.head("main")) as string;
    const many = Object.fromEntries(Array.from({ length: 301 }, (_, i) => [`bulk/${i}.txt`, String(i)]));
    const after = await host.commit(many);
    await world.pushed(before, after);
    expect(await world.commits(app)).toEqual([after]);
  });

  test.for([
    ["is too large to be read", { status: 200, body: { status: "ahead", files: [], pad: "x".repeat(17 * 1_048_576) } }],
    ["is too large for the host (406)", { status: 406, body: {} }],
    ["names a commit the host does not know (404)", { status: 404, body: {} }],
    ["comes without files", { status: 200, body: { status: "ahead" } }],
  ] as const)("is everything when the comparison %s", async ([_, reply], { host, world }) => {
    const app = await world.stack("app");
    const before = (await host.head("main")) as string;
    const after = await host.commit({ "network/main.tf": randomUUID() });
    host.script = ({ path }) => (path.includes("/compare/") ? reply : undefined);
    await world.pushed(before, after);
    expect(await world.commits(app)).toEqual([after]);
  });
});

describe("whose repository it is", () => {
  test("decides the stack's own address: one that is another integration's is left alone", async ({
    database,
    hosts,
    host,
    world,
  }) => {
    await makeIntegration(database, hosts.keyring, world.orgId, host, { priority: 1, urlPattern: "\\.git$" });
    const [theirs, ours] = [
      await world.stack("network"),
      await world.stack("network", { repository_url: host.repositoryUrl.replace(/\.git$/, "") }),
    ];
    const after = await host.commit({ "network/main.tf": randomUUID() });
    await world.pushed(world.first, after);
    expect([await world.commits(theirs), await world.commits(ours)]).toEqual([[], [after]]);
  });

  test("120 stacks of one push are synced together", async ({ database, host, world }) => {
    const keys = await Promise.all(Array.from({ length: 120 }, () => world.stack("network")));
    const before = (await host.head("main")) as string;
    const after = await host.commit({ "network/main.tf": randomUUID() });
    host.requests.length = 0;
    await world.pushed(before, after);
    const made =
      await database.sql`select count(*)::int as n from deployments where stack_key = any(${keys}::uuid[]) and commit_sha = ${after}`;
    expect(made[0]?.n).toBe(120);
    expect(host.requests).toHaveLength(2);
  });
});
