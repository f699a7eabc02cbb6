/** New pull requests and new heads, and the previews that follow (docs/rules/pull-requests.md). */
import { describe, expect } from "vitest";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { decide, statuses } from "../support/fixtures.ts";
import { previewsOf, pullRequest, requestStack, requestsOf, sha } from "../support/pullRequests.ts";
import { test } from "../support/pullRequestsTest.ts";

describe("a new pull request", () => {
  test("parks a preview on the stacks it touches, which a person starts", async ({ database, service, org, world }) => {
    const network = await requestStack(database, org.orgId, "network");
    const root = await requestStack(database, org.orgId, ".");
    const other = await requestStack(database, org.orgId, "net");
    world.host.set(pullRequest(7, { title: "Wider\0 subnets", body: "b".repeat(20_000) }));
    expect(await world.sync()).toBe("applied");

    expect(await world.shown(network)).toEqual(["1 waiting"]);
    expect(await world.shown(root)).toEqual(["1 waiting"]);
    expect([await world.shown(other), await requestsOf(database, other)]).toEqual([[], []]);
    const [preview] = await previewsOf(database, network);
    const parked = await statuses(database, preview?.id ?? "");
    expect(parked).toMatchObject({ runs: [], stages: ["confirmation:running"], events: ["created"] });
    expect(parked.row).toMatchObject({
      mode: "plan_unlocked",
      commit_sha: sha(7),
      created_by: null,
      origin_pr_number: 7,
      origin_pr_title: "Wider subnets",
    });
    expect(parked.row.origin_pr_body).toHaveLength(10_000);

    for (const kind of ["confirm", "skip"] as const) {
      expect(await decide(service, database, preview?.id ?? "", kind, { action: "apply" })).toMatchObject({
        status: 409,
      });
    }
    expect(await decide(service, database, preview?.id ?? "", "confirmPreview")).toMatchObject({ outcome: "done" });
    expect(await statuses(database, preview?.id ?? "")).toMatchObject({
      deployment: "pending",
      runs: ["plan_run:pending"],
      stages: ["confirmation:done", "plan_run:running"],
    });
  });

  test("runs at once where the stack says so, but from a fork only where it trusts forks", async ({
    database,
    org,
    world,
  }) => {
    const auto = await requestStack(database, org.orgId, "a", { pr_plan_mode: "auto" });
    const trusting = await requestStack(database, org.orgId, "b", { pr_plan_mode: "auto", fork_previews: true });
    world.host.set(pullRequest(1, { paths: ["a/x", "b/x"], isFork: true }));
    world.host.set(pullRequest(2, { paths: ["a/x"] }));
    await world.sync();
    expect((await world.shown(auto)).sort()).toEqual(["1 pending", "1 waiting"]);
    expect(await world.shown(trusting)).toEqual(["1 pending"]);
    const made = await database.sql`
      select origin_pr_number as number, provenance from deployments where stack_key = ${auto} order by 1`;
    expect(made).toEqual([
      { number: 1, provenance: "fork" },
      { number: 2, provenance: "pull_request" },
    ]);
  });

  test("belongs to every stack of the branch when its files are not all known", async ({ database, org, world }) => {
    const network = await requestStack(database, org.orgId, "network");
    const dns = await requestStack(database, org.orgId, "dns");
    const elsewhere = await requestStack(database, org.orgId, "dns", { branch: "next" });
    world.host.set(pullRequest(3, { files: { paths: ["network/a"], complete: false } }));
    await world.sync();
    expect([await requestsOf(database, network), await requestsOf(database, dns)]).toEqual([[3], [3]]);
    expect(await requestsOf(database, elsewhere)).toEqual([]);
  });

  test("gives one preview for a head, however often the host is asked, by however many at once", async ({
    database,
    org,
    world,
  }) => {
    const stack = await requestStack(database, org.orgId, "network", { pr_plan_mode: "auto" });
    world.host.set(pullRequest(4));
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => world.sync()));
    expect(outcomes).toContain("applied");
    await world.sync();
    expect(await world.shown(stack)).toEqual(["1 pending"]);
  });
});

describe("a new head", () => {
  test("takes the parked preview's place, A, B, A being three", async ({ database, service, org, world }) => {
    const stack = await requestStack(database, org.orgId, "network");
    for (const head of [sha(1), sha(2), sha(1)]) {
      world.host.set(pullRequest(5, { headSha: head }));
      await world.sync();
    }
    expect(await world.shown(stack)).toEqual(["1 skipped superseded", "2 skipped superseded", "3 waiting"]);
    expect((await previewsOf(database, stack)).at(-1)?.head).toBe(sha(1));
    await decide(service, database, (await previewsOf(database, stack)).at(-1)?.id ?? "", "confirmPreview");
    const later = await world.start(stack);
    world.host.set(pullRequest(5, { headSha: sha(3) }));
    await world.sync();
    expect(await world.shown(stack)).toEqual([
      "1 skipped superseded",
      "2 skipped superseded",
      "3 requested_cancellation",
      "4 waiting",
    ]);
    expect(service.sent).toContainEqual({
      kind: "wakeLease",
      orgId: expect.any(String),
      runId: later.runId,
      signal: "cancelRequested",
    });
    await reportDone(service, later.runId, later.runnerId, { status: "success" });
    expect((await statuses(database, later.id)).deployment).toBe("cancelled");
  });

  test("cancels a preview whose run nobody has accepted, and leaves a finished one", async ({
    database,
    org,
    world,
  }) => {
    const stack = await requestStack(database, org.orgId, "network", { pr_plan_mode: "auto" });
    world.host.set(pullRequest(6));
    await world.sync();
    await world.finish(stack);
    world.host.set(pullRequest(6, { headSha: sha(61) }));
    await world.sync();
    world.host.set(pullRequest(6, { headSha: sha(62) }));
    await world.sync();
    expect(await world.shown(stack)).toEqual(["1 finished", "2 cancelled", "3 pending"]);
  });

  test("that no longer touches a stack takes its parked preview back, and the stack lists the request no more", async ({
    database,
    service,
    org,
    world,
  }) => {
    const a = await requestStack(database, org.orgId, "a");
    const b = await requestStack(database, org.orgId, "b");
    world.host.set(pullRequest(8, { paths: ["a/x", "b/x"] }));
    await world.sync();
    world.host.set(pullRequest(8, { paths: ["a/x"], headSha: sha(81) }));
    await world.sync();
    expect(await world.shown(a)).toEqual(["1 skipped superseded", "2 waiting"]);
    expect(await world.shown(b)).toEqual(["1 skipped retracted"]);
    expect(await requestsOf(database, b)).toEqual([]);
    expect(service.sent).toContainEqual(
      expect.objectContaining({ kind: "signalPreview", stackKey: b, signal: "closed" }),
    );
  });

  test("seen by a refresh and a delivery at the same instant gives one preview", async ({ database, org, world }) => {
    for (let round = 0; round < 20; round++) {
      const stack = await requestStack(database, org.orgId, `r${round}`);
      world.host.set(pullRequest(100 + round, { paths: [`r${round}/x`] }));
      await world.sync();
      world.host.set(pullRequest(100 + round, { paths: [`r${round}/x`], headSha: sha(900 + round) }));
      await Promise.all([world.sync(), world.sync()]);
      expect(await world.shown(stack)).toEqual(["1 skipped superseded", "2 waiting"]);
    }
  });
});
