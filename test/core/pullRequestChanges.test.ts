/** What people and hosts do to an open pull request, and what follows (docs/rules/pull-requests.md). */
import { describe, expect } from "vitest";
import { passDeploymentDeadline } from "../../src/core/deployments/transitions/deploymentDeadline.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { takeNumber } from "../../src/core/pullRequests/projection.ts";
import { applyAnswer } from "../../src/core/pullRequests/sync.ts";
import { decide } from "../support/fixtures.ts";
import { previewsOf, pullRequest, requestStack, requestsOf, sha } from "../support/pullRequests.ts";
import { test } from "../support/pullRequestsTest.ts";

describe("a person", () => {
  test("who starts a parked preview while a new head arrives leaves one live preview, of the new head", async ({
    database,
    service,
    org,
    world,
  }) => {
    for (let round = 0; round < 30; round++) {
      const stack = await requestStack(database, org.orgId, `c${round}`);
      world.host.set(pullRequest(200 + round, { paths: [`c${round}/x`] }));
      await world.sync();
      const [parked] = await previewsOf(database, stack);
      world.host.set(pullRequest(200 + round, { paths: [`c${round}/x`], headSha: sha(800 + round) }));
      const [answer] = await Promise.all([decide(service, database, parked?.id ?? "", "confirmPreview"), world.sync()]);
      const old = answer.outcome === "done" ? "1 cancelled" : "1 skipped superseded";
      expect(await world.shown(stack)).toEqual([old, "2 waiting"]);
    }
  });

  test("who does not come in time loses the parked preview, which is told as one", async ({
    database,
    service,
    org,
    world,
  }) => {
    const stack = await requestStack(database, org.orgId, "network", {
      confirmation_timeout_ms: 60_000,
      supersede_age_ms: 1,
    });
    world.host.set(pullRequest(40));
    await world.sync();
    const [parked] = await previewsOf(database, stack);
    await passDeploymentDeadline(service, parked?.id ?? "");
    expect(await world.shown(stack)).toEqual(["1 waiting"]);
    await database.advanceClock(61_000);
    await passDeploymentDeadline(service, parked?.id ?? "");
    expect(await world.shown(stack)).toEqual(["1 skipped confirmation_timeout"]);
    const events =
      await database.sql`select name, data from domain_events where deployment_id = ${parked?.id ?? ""} order by id`;
    expect(events.map(({ name }) => name)).toEqual(["deployment_created", "preview_auto_skipped"]);
    expect(events[1]?.data).toMatchObject({ skipped_reason: "confirmation_timeout", pr_number: 40 });
    // The head has had its preview: nothing parks it again.
    await world.sync();
    expect(await world.shown(stack)).toEqual(["1 skipped confirmation_timeout"]);
  });
});

describe("what the host cannot say of a request for now", () => {
  test("is stored as not approved beside all the rest, and asked for again", async ({ database, org, world }) => {
    const requirements = { pr_requirements: { promote: ["approved"] } };
    const stack = await requestStack(database, org.orgId, "unsaid", requirements);
    const failure = new Error("the code host did not answer");
    const paths = ["unsaid/x"];
    world.host.set(pullRequest(60, { paths, approved: null, approvedReason: "not known", failure }));
    world.host.set(pullRequest(61, { paths, approved: true }));
    await expect(world.sync()).rejects.toBe(failure);
    expect(await requestsOf(database, stack)).toEqual([60, 61]);
    const rows =
      await database.sql`select approved, approved_reason from pull_requests where number in (60, 61) order by number`;
    expect(rows).toEqual([
      { approved: null, approved_reason: "not known" },
      { approved: true, approved_reason: null },
    ]);
    world.host.set(pullRequest(60, { paths, approved: true }));
    expect(await world.sync()).toBe("applied");
  });
});

describe("retargeting", () => {
  test("moves the request to the stacks of the new base, whichever branch is asked first", async ({
    database,
    org,
    world,
  }) => {
    for (const order of [
      ["main", "next"],
      ["next", "main"],
    ]) {
      const number = order[0] === "main" ? 11 : 12;
      const directory = `d${number}`;
      const old = await requestStack(database, org.orgId, directory);
      const next = await requestStack(database, org.orgId, directory, { branch: "next" });
      world.host.set(pullRequest(number, { paths: [`${directory}/x`] }));
      await world.sync();
      world.host.set(pullRequest(number, { paths: [`${directory}/x`], baseBranch: "next" }));
      for (const branch of order) await world.sync(branch);
      expect([await requestsOf(database, old), await requestsOf(database, next)]).toEqual([[], [number]]);
      expect((await previewsOf(database, old)).map(({ status }) => status)).toEqual(["skipped"]);
      expect((await previewsOf(database, next)).map(({ status }) => status)).toEqual(["waiting"]);
      world.host.set(pullRequest(number, { paths: [`${directory}/x`], baseBranch: "next", headSha: sha(number * 10) }));
      for (const branch of order) await world.sync(branch);
      expect((await previewsOf(database, old)).map(({ status }) => status)).toEqual(["skipped"]);
      expect((await previewsOf(database, next)).map(({ status }) => status)).toEqual(["skipped", "waiting"]);
    }
  });

  test("is not undone by an older answer about the old base", async ({ database, service, org, world }) => {
    const old = await requestStack(database, org.orgId, "late");
    const next = await requestStack(database, org.orgId, "late", { branch: "next" });
    world.host.set(pullRequest(13, { paths: ["late/x"] }));
    await world.sync();
    const asked = await takeNumber(database.db, world.on("main"));
    const before = await world.host.openPullRequests(world.on("main"), "main");
    world.host.set(pullRequest(13, { paths: ["late/x"], baseBranch: "next" }));
    await world.sync("next");
    expect(await applyAnswer(service, world.on("main"), asked, before, null)).toBe("applied");
    expect([await requestsOf(database, old), await requestsOf(database, next)]).toEqual([[], [13]]);
  });
});

describe("closing", () => {
  test("ends what is parked, pending or running, and forgets the request; a late end of the run is cancelled", async ({
    database,
    service,
    org,
    world,
  }) => {
    const parked = await requestStack(database, org.orgId, "p");
    const pending = await requestStack(database, org.orgId, "q", { pr_plan_mode: "auto" });
    const running = await requestStack(database, org.orgId, "r", { pr_plan_mode: "auto" });
    world.host.set(pullRequest(20, { paths: ["p/x", "q/x", "r/x"] }));
    await world.sync();
    const run = await world.start(running);
    world.host.close(20);
    await world.sync();
    expect(await world.shown(parked)).toEqual(["1 skipped pull_request_closed"]);
    expect(await world.shown(pending)).toEqual(["1 cancelled"]);
    expect(await world.shown(running)).toEqual(["1 requested_cancellation"]);
    expect(await database.sql`select 1 from pull_requests where org_id = ${org.orgId}`).toHaveLength(0);
    await reportDone(service, run.runId, run.runnerId, { status: "success" });
    expect(await world.shown(running)).toEqual(["1 cancelled"]);
    await world.sync();
    world.host.set(pullRequest(20, { paths: ["p/x"] }));
    await world.sync();
    expect(await world.shown(parked)).toEqual(["1 skipped pull_request_closed", "1 waiting"]);
  });

  test("is not undone by an answer that was asked for before", async ({ database, service, org, world }) => {
    const stack = await requestStack(database, org.orgId, "network");
    world.host.set(pullRequest(21));
    const asked = await takeNumber(database.db, world.on("main"));
    const before = await world.host.openPullRequests(world.on("main"), "main");
    world.host.close(21);
    await world.sync();
    expect(await applyAnswer(service, world.on("main"), asked, before, null)).toBe("outdated");
    expect(await world.shown(stack)).toEqual([]);
  });
});

describe("requirements", () => {
  test("hold a preview back until they are met, and take a parked one back when they are refused", async ({
    database,
    org,
    world,
  }) => {
    const stack = await requestStack(database, org.orgId, "network", {
      pr_requirements: { plan: ["approved", "checks_passed"] },
    });
    const state = async (approved: boolean | null, checksPassed: boolean | null) => {
      world.host.set(pullRequest(30, { approved, checksPassed }));
      await world.sync();
      return world.shown(stack);
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

  test("tell the stack's workflow of each change it cares about, and no other", async ({
    database,
    service,
    org,
    world,
  }) => {
    const caring = await requestStack(database, org.orgId, "a", { pr_requirements: { promote: ["approved"] } });
    await requestStack(database, org.orgId, "b");
    world.host.set(pullRequest(31, { paths: ["a/x", "b/x"] }));
    await world.sync();
    service.sent.length = 0;
    world.host.set(pullRequest(31, { paths: ["a/x", "b/x"], approved: true }));
    await world.sync();
    expect(service.sent).toEqual([
      expect.objectContaining({ kind: "signalPreview", stackKey: caring, number: 31, signal: "requirementsChanged" }),
    ]);
    service.sent.length = 0;
    await world.sync();
    expect(service.sent).toEqual([]);
  });
});
