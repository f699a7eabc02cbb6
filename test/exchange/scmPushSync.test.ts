/** Pushes bring stacks up to the branch's head (docs/rules/source-control.md#pushes). */
import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { test } from "../support/pushSyncTest.ts";
import { makeIntegration } from "../support/scm.ts";
import type { HostReply } from "../support/scriptedHost.ts";

describe("a push", () => {
  test("syncs the stacks it touches, and only those, with author and message from the host", async ({ world }) => {
    const { database, host, orgId, first, stack, pushed, deployments, commits, synced } = world;
    const [network, app, root] = [await stack("network"), await stack("app"), await stack(".")];
    const after = await host.commit({ "network/main.tf": "2" }, { message: "Widen the network" });
    expect(await pushed(first, after)).toEqual({ open: 0, nextMs: null });
    const [made] = await deployments(network);
    expect(made).toMatchObject({
      commit_sha: after,
      commit_message: "Widen the network",
      commit_author: "Ann Author",
      origin_type: "push",
      provenance: "branch",
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

  test("that comes twice makes one deployment", async ({ world }) => {
    const { host, first, stack, arrive, process, pushed, commits, synced } = world;
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

  test("tells stack_synced also where it deploys nothing", async ({ world }) => {
    const { host, first, stack, pushed, commits, synced } = world;
    const network = await stack("network", { deploy_on_push: false });
    await pushed(first, await host.commit({ "network/main.tf": "quiet" }));
    expect(await commits(network)).toEqual([]);
    expect(await synced(network)).toHaveLength(1);
  });

  test("that was missed is made good by the next one: stacks are compared with what they were compared with last", async ({
    world,
  }) => {
    const { host, stack, pushed, commits } = world;
    const [network, app] = [await stack("network"), await stack("app")];
    const start = (await host.head("main")) as string;
    await pushed(start, await host.commit({ "app/main.tf": "a" }));
    const missed = await host.commit({ "network/main.tf": "missed" });
    const next = await host.commit({ "README.md": "next" });
    await pushed(missed, next);
    expect(await commits(network)).toEqual([next]);
    expect(await commits(app)).toHaveLength(1);
  });

  test("whose delivery is late does not bring the old commit back", async ({ world }) => {
    const { host, stack, pushed, commits } = world;
    const network = await stack("network");
    const start = (await host.head("main")) as string;
    const older = await host.commit({ "network/main.tf": "older" });
    const newer = await host.commit({ "network/main.tf": "newer" });
    await pushed(older, newer);
    await pushed(start, older);
    expect(await commits(network)).toEqual([newer]);
  });

  test("to a branch of no stack, or one that is gone, does nothing", async ({ world }) => {
    const { database, now, first, stack, arrive, process, pushed, events, commits } = world;
    const network = await stack("network");
    const gone = await stack("network", { branch: "gone" });
    await arrive(first, first, "feature/x");
    expect(await events()).toEqual([]);
    await pushed(first, first, "gone");
    // The host may not know yet of what it has told.
    expect(await events()).toMatchObject([{ status: "failed", last_error: expect.stringContaining("older") }]);
    await database.sql`update scm_events set due_at = svc_now() where integration_id = ${now.integration.id}`;
    await process("gone");
    expect([await commits(network), await commits(gone)]).toEqual([[], []]);
    expect(await events()).toMatchObject([{ status: "processed" }]);
  });

  test("works on branches with / % # in their name", async ({ world }) => {
    const { host, stack, pushed, commits } = world;
    const branch = "release/50%#1";
    const after = await host.commit({ "network/main.tf": branch }, { branch });
    const network = await stack("network", { branch });
    await pushed(null, after, branch);
    expect(await commits(network)).toEqual([after]);
  });
});

describe("three pushes", () => {
  test("in any order, any number of times, with looks in between or not, end at the same head", async ({ world }) => {
    const { database, host, anew } = world;
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
      const { stack, arrive, process, commits, orgId } = await anew();
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
  test("is not asked when there was no commit before, or only stacks at the root", async ({ world }) => {
    const { host, stack, pushed, commits } = world;
    const [network, root] = [await stack("network"), await stack(".")];
    const head = (await host.head("main")) as string;
    await pushed(null, head);
    expect([await commits(network), await commits(root)]).toEqual([[head], [head]]);
    expect(host.asked.filter((path) => path.includes("compare"))).toEqual([]);
  });

  test("after a forced push is what either side changed", async ({ world }) => {
    const { database, host, orgId, stack, pushed, commits } = world;
    const [network, app, other] = [await stack("network"), await stack("app"), await stack("other")];
    const base = (await host.head("main")) as string;
    const taken = await host.commit({ "network/main.tf": "taken back" });
    await database.sql`update stacks set last_compared_commit = ${taken} where org_id = ${orgId}`;
    const forced = await host.commit({ "app/main.tf": "instead" }, { from: base, force: true });
    await pushed(taken, forced);
    expect([await commits(network), await commits(app), await commits(other)]).toEqual([[forced], [forced], []]);
  });

  test("counts a renamed file under both names", async ({ world }) => {
    const { host, stack, pushed, commits } = world;
    const [old, renamed] = [await stack("network"), await stack("moved")];
    const before = await host.commit({ "network/big.tf": "the same long content\n".repeat(20) });
    const after = await host.commit({ "network/big.tf": null, "moved/big.tf": "the same long content\n".repeat(20) });
    await pushed(before, after);
    expect([await commits(old), await commits(renamed)]).toEqual([[after], [after]]);
  });

  test("is everything when the host's list reaches its cap of 300", async ({ world }) => {
    const { host, stack, pushed, commits } = world;
    const app = await stack("app");
    const before = (await host.head("main")) as string;
    const many = Object.fromEntries(Array.from({ length: 301 }, (_, i) => [`bulk/${i}.txt`, String(i)]));
    const after = await host.commit(many);
    await pushed(before, after);
    expect(await commits(app)).toEqual([after]);
  });

  test.for<[string, HostReply]>([
    ["is too large to be read", { status: 200, body: { status: "ahead", files: [], pad: "x".repeat(17 * 1_048_576) } }],
    ["is too large for the host (406)", { status: 406, body: {} }],
    ["names a commit the host does not know (404)", { status: 404, body: {} }],
    ["comes without files", { status: 200, body: { status: "ahead" } }],
  ])("is everything when the comparison %s", async ([_, reply], { world }) => {
    const { host, stack, pushed, commits } = world;
    const app = await stack("app");
    const before = (await host.head("main")) as string;
    const after = await host.commit({ "network/main.tf": randomUUID() });
    host.script = ({ path }) => (path.includes("/compare/") ? reply : undefined);
    await pushed(before, after);
    expect(await commits(app)).toEqual([after]);
  });
});

describe("a stack that is changed while its host is asked", () => {
  test.for<[string, object]>([
    ["branch", { branch: "next" }],
    ["repository", { repository_url: "https://git.example/acme/other.git", repository_key: "git.example/acme/other" }],
    ["directory", { working_directory: "app" }],
  ])("by its %s, is left alone though it was never compared before", async ([_, change], { world }) => {
    const { database, host, stack, pushed, commits } = world;
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
  test("decides the stack's own address: one that is another integration's is left alone", async ({ world }) => {
    const { database, host, hosts, orgId, first, stack, pushed, commits } = world;
    await makeIntegration(database, hosts.keyring, orgId, host, { priority: 1, urlPattern: "\\.git$" });
    const [theirs, ours] = [
      await stack("network"),
      await stack("network", { repository_url: host.repositoryUrl.replace(/\.git$/, "") }),
    ];
    const after = await host.commit({ "network/main.tf": randomUUID() });
    await pushed(first, after);
    expect([await commits(theirs), await commits(ours)]).toEqual([[], [after]]);
  });

  test("120 stacks of one push are synced together", async ({ world }) => {
    const { database, host, stack, pushed } = world;
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
