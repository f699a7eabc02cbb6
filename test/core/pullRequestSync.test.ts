/** The projection of open pull requests and the previews that follow from it (docs/rules/pull-requests.md). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { passDeploymentDeadline } from "../../src/core/deployments/transitions/deploymentDeadline.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { takeNumber } from "../../src/core/pullRequests/projection.ts";
import { applyAnswer, syncPullRequests } from "../../src/core/pullRequests/sync.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { claim, decide, makeOrg, statuses, type TestOrg, type TestService, testService } from "../support/fixtures.ts";
import {
  previewsOf,
  pullRequest,
  REPOSITORY,
  requestStack,
  requestsOf,
  type StatedHost,
  sha,
  statedHost,
} from "../support/pullRequests.ts";

let database: TestDatabase;
let service: TestService;
let org: TestOrg;
let host: StatedHost;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  service = testService(database);
  org = await makeOrg(database);
  host = statedHost();
});

const on = (branch: string) => ({ orgId: org.orgId, repositoryKey: REPOSITORY, branch });
const sync = (branch = "main") => syncPullRequests(service, host, on(branch), null);
const shown = async (stackKey: string) =>
  (await previewsOf(database, stackKey)).map(({ status, skipped_reason: reason, generation }) =>
    [generation, status, reason].filter((part) => part !== null).join(" "),
  );

/** Claim and accept the stack's pending preview. */
async function start(stackKey: string): Promise<{ id: string; runId: string; runnerId: string }> {
  const pending = (await previewsOf(database, stackKey)).find(({ status }) => status === "pending");
  const run = await claim(database, org, pending?.id ?? "");
  await acceptRun(service, run.runId, run.runnerId);
  return { id: pending?.id ?? "", ...run };
}

async function finish(stackKey: string): Promise<string> {
  const { id, runId, runnerId } = await start(stackKey);
  await reportDone(service, runId, runnerId, {
    status: "success",
    plan_summary: { has_changes: false, counts: null, gaps: [] },
  });
  return id;
}

describe("a new pull request", () => {
  it("parks a preview on the stacks it touches, which a person starts", async () => {
    const network = await requestStack(database, org.orgId, "network");
    const root = await requestStack(database, org.orgId, ".");
    const other = await requestStack(database, org.orgId, "net");
    host.set(pullRequest(7, { title: "Wider\0 subnets", body: "b".repeat(20_000) }));
    expect(await sync()).toBe("applied");

    expect(await shown(network)).toEqual(["1 waiting"]);
    expect(await shown(root)).toEqual(["1 waiting"]);
    expect([await shown(other), await requestsOf(database, other)]).toEqual([[], []]);
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

  it("runs at once where the stack says so, but from a fork only where it trusts forks", async () => {
    const auto = await requestStack(database, org.orgId, "a", { pr_plan_mode: "auto" });
    const trusting = await requestStack(database, org.orgId, "b", { pr_plan_mode: "auto", fork_previews: true });
    host.set(pullRequest(1, { paths: ["a/x", "b/x"], isFork: true }));
    host.set(pullRequest(2, { paths: ["a/x"] }));
    await sync();
    expect((await shown(auto)).sort()).toEqual(["1 pending", "1 waiting"]);
    expect(await shown(trusting)).toEqual(["1 pending"]);
  });

  it("belongs to every stack of the branch when its files are not all known", async () => {
    const network = await requestStack(database, org.orgId, "network");
    const dns = await requestStack(database, org.orgId, "dns");
    const elsewhere = await requestStack(database, org.orgId, "dns", { branch: "next" });
    host.set(pullRequest(3, { files: { paths: ["network/a"], complete: false } }));
    await sync();
    expect([await requestsOf(database, network), await requestsOf(database, dns)]).toEqual([[3], [3]]);
    expect(await requestsOf(database, elsewhere)).toEqual([]);
  });

  it("gives one preview for a head, however often the host is asked, by however many at once", async () => {
    const stack = await requestStack(database, org.orgId, "network", { pr_plan_mode: "auto" });
    host.set(pullRequest(4));
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => sync()));
    expect(outcomes).toContain("applied");
    await sync();
    expect(await shown(stack)).toEqual(["1 pending"]);
  });
});

describe("a new head", () => {
  it("takes the parked preview's place, A, B, A being three", async () => {
    const stack = await requestStack(database, org.orgId, "network");
    for (const head of [sha(1), sha(2), sha(1)]) {
      host.set(pullRequest(5, { headSha: head }));
      await sync();
    }
    expect(await shown(stack)).toEqual(["1 skipped superseded", "2 skipped superseded", "3 waiting"]);
    expect((await previewsOf(database, stack)).at(-1)?.head).toBe(sha(1));
    await decide(service, database, (await previewsOf(database, stack)).at(-1)?.id ?? "", "confirmPreview");
    const later = await start(stack);
    host.set(pullRequest(5, { headSha: sha(3) }));
    await sync();
    expect(await shown(stack)).toEqual([
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

  it("cancels a preview whose run nobody has accepted, and leaves a finished one", async () => {
    const stack = await requestStack(database, org.orgId, "network", { pr_plan_mode: "auto" });
    host.set(pullRequest(6));
    await sync();
    await finish(stack);
    host.set(pullRequest(6, { headSha: sha(61) }));
    await sync();
    host.set(pullRequest(6, { headSha: sha(62) }));
    await sync();
    expect(await shown(stack)).toEqual(["1 finished", "2 cancelled", "3 pending"]);
  });

  it("that no longer touches a stack takes its parked preview back, and the stack lists the request no more", async () => {
    const a = await requestStack(database, org.orgId, "a");
    const b = await requestStack(database, org.orgId, "b");
    host.set(pullRequest(8, { paths: ["a/x", "b/x"] }));
    await sync();
    host.set(pullRequest(8, { paths: ["a/x"], headSha: sha(81) }));
    await sync();
    expect(await shown(a)).toEqual(["1 skipped superseded", "2 waiting"]);
    expect(await shown(b)).toEqual(["1 skipped retracted"]);
    expect(await requestsOf(database, b)).toEqual([]);
    expect(service.sent).toContainEqual(
      expect.objectContaining({ kind: "signalPreview", stackKey: b, signal: "closed" }),
    );
  });

  it("seen by a refresh and a delivery at the same instant gives one preview", async () => {
    for (let round = 0; round < 20; round++) {
      const stack = await requestStack(database, org.orgId, `r${round}`);
      host.set(pullRequest(100 + round, { paths: [`r${round}/x`] }));
      await sync();
      host.set(pullRequest(100 + round, { paths: [`r${round}/x`], headSha: sha(900 + round) }));
      await Promise.all([sync(), sync()]);
      expect(await shown(stack)).toEqual(["1 skipped superseded", "2 waiting"]);
    }
  });
});

describe("a person", () => {
  it("who starts a parked preview while a new head arrives leaves one live preview, of the new head", async () => {
    for (let round = 0; round < 30; round++) {
      const stack = await requestStack(database, org.orgId, `c${round}`);
      host.set(pullRequest(200 + round, { paths: [`c${round}/x`] }));
      await sync();
      const [parked] = await previewsOf(database, stack);
      host.set(pullRequest(200 + round, { paths: [`c${round}/x`], headSha: sha(800 + round) }));
      const [answer] = await Promise.all([decide(service, database, parked?.id ?? "", "confirmPreview"), sync()]);
      const old = answer.outcome === "done" ? "1 cancelled" : "1 skipped superseded";
      expect(await shown(stack)).toEqual([old, "2 waiting"]);
    }
  });

  it("who does not come in time loses the parked preview, which is told as one", async () => {
    const stack = await requestStack(database, org.orgId, "network", {
      confirmation_timeout_ms: 60_000,
      supersede_age_ms: 1,
    });
    host.set(pullRequest(40));
    await sync();
    const [parked] = await previewsOf(database, stack);
    await passDeploymentDeadline(service, parked?.id ?? "");
    expect(await shown(stack)).toEqual(["1 waiting"]);
    await database.advanceClock(61_000);
    await passDeploymentDeadline(service, parked?.id ?? "");
    expect(await shown(stack)).toEqual(["1 skipped confirmation_timeout"]);
    const events =
      await database.sql`select name, data from domain_events where deployment_id = ${parked?.id ?? ""} order by id`;
    expect(events.map(({ name }) => name)).toEqual(["deployment_created", "preview_auto_skipped"]);
    expect(events[1]?.data).toMatchObject({ skipped_reason: "confirmation_timeout", pr_number: 40 });
    // The head has had its preview: nothing parks it again.
    await sync();
    expect(await shown(stack)).toEqual(["1 skipped confirmation_timeout"]);
  });
});

describe("retargeting", () => {
  it("moves the request to the stacks of the new base, whichever branch is asked first", async () => {
    for (const order of [
      ["main", "next"],
      ["next", "main"],
    ]) {
      const number = order[0] === "main" ? 11 : 12;
      const directory = `d${number}`;
      const old = await requestStack(database, org.orgId, directory);
      const next = await requestStack(database, org.orgId, directory, { branch: "next" });
      host.set(pullRequest(number, { paths: [`${directory}/x`] }));
      await sync();
      host.set(pullRequest(number, { paths: [`${directory}/x`], baseBranch: "next" }));
      for (const branch of order) await sync(branch);
      expect([await requestsOf(database, old), await requestsOf(database, next)]).toEqual([[], [number]]);
      expect((await previewsOf(database, old)).map(({ status }) => status)).toEqual(["skipped"]);
      expect((await previewsOf(database, next)).map(({ status }) => status)).toEqual(["waiting"]);
      host.set(pullRequest(number, { paths: [`${directory}/x`], baseBranch: "next", headSha: sha(number * 10) }));
      for (const branch of order) await sync(branch);
      expect((await previewsOf(database, old)).map(({ status }) => status)).toEqual(["skipped"]);
      expect((await previewsOf(database, next)).map(({ status }) => status)).toEqual(["skipped", "waiting"]);
    }
  });

  it("is not undone by an older answer about the old base", async () => {
    const old = await requestStack(database, org.orgId, "late");
    const next = await requestStack(database, org.orgId, "late", { branch: "next" });
    host.set(pullRequest(13, { paths: ["late/x"] }));
    await sync();
    const asked = await takeNumber(database.db, on("main"));
    const before = await host.openPullRequests(on("main"), "main");
    host.set(pullRequest(13, { paths: ["late/x"], baseBranch: "next" }));
    await sync("next");
    expect(await applyAnswer(service, on("main"), asked, before, null)).toBe("applied");
    expect([await requestsOf(database, old), await requestsOf(database, next)]).toEqual([[], [13]]);
  });
});

describe("closing", () => {
  it("ends what is parked, pending or running, and forgets the request; a late end of the run is cancelled", async () => {
    const parked = await requestStack(database, org.orgId, "p");
    const pending = await requestStack(database, org.orgId, "q", { pr_plan_mode: "auto" });
    const running = await requestStack(database, org.orgId, "r", { pr_plan_mode: "auto" });
    host.set(pullRequest(20, { paths: ["p/x", "q/x", "r/x"] }));
    await sync();
    const run = await start(running);
    host.close(20);
    await sync();
    expect(await shown(parked)).toEqual(["1 skipped pull_request_closed"]);
    expect(await shown(pending)).toEqual(["1 cancelled"]);
    expect(await shown(running)).toEqual(["1 requested_cancellation"]);
    expect(await database.sql`select 1 from pull_requests where org_id = ${org.orgId}`).toHaveLength(0);
    await reportDone(service, run.runId, run.runnerId, { status: "success" });
    expect(await shown(running)).toEqual(["1 cancelled"]);
    await sync();
    host.set(pullRequest(20, { paths: ["p/x"] }));
    await sync();
    expect(await shown(parked)).toEqual(["1 skipped pull_request_closed", "1 waiting"]);
  });

  it("is not undone by an answer that was asked for before", async () => {
    const stack = await requestStack(database, org.orgId, "network");
    host.set(pullRequest(21));
    const asked = await takeNumber(database.db, on("main"));
    const before = await host.openPullRequests(on("main"), "main");
    host.close(21);
    await sync();
    expect(await applyAnswer(service, on("main"), asked, before, null)).toBe("outdated");
    expect(await shown(stack)).toEqual([]);
  });
});

describe("requirements", () => {
  it("hold a preview back until they are met, and take a parked one back when they are refused", async () => {
    const stack = await requestStack(database, org.orgId, "network", {
      pr_requirements: { plan: ["approved", "checks_passed"] },
    });
    const state = async (approved: boolean | null, checksPassed: boolean | null) => {
      host.set(pullRequest(30, { approved, checksPassed }));
      await sync();
      return shown(stack);
    };
    expect(await state(false, null)).toEqual([]);
    expect(await requestsOf(database, stack)).toEqual([30]);
    expect(await state(true, null)).toEqual([]);
    expect(await state(true, true)).toEqual(["1 waiting"]);
    // The host is computing: no reason to take it back.
    expect(await state(true, null)).toEqual(["1 waiting"]);
    expect(await state(true, false)).toEqual(["1 skipped retracted"]);
    expect(await state(true, false)).toEqual(["1 skipped retracted"]);
    expect(await state(true, true)).toEqual(["1 skipped retracted", "1 waiting"]);
  });

  it("tell the stack's workflow of each change it cares about, and no other", async () => {
    const caring = await requestStack(database, org.orgId, "a", { pr_requirements: { promote: ["approved"] } });
    await requestStack(database, org.orgId, "b");
    host.set(pullRequest(31, { paths: ["a/x", "b/x"] }));
    await sync();
    service.sent.length = 0;
    host.set(pullRequest(31, { paths: ["a/x", "b/x"], approved: true }));
    await sync();
    expect(service.sent).toEqual([
      expect.objectContaining({ kind: "signalPreview", stackKey: caring, number: 31, signal: "requirementsChanged" }),
    ]);
    service.sent.length = 0;
    await sync();
    expect(service.sent).toEqual([]);
  });
});
