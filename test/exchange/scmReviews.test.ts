/** Approvals and checks of pull requests, asked of a host (docs/rules/pull-requests.md#what-counts-as-an-approval). */
import { describe, expect } from "vitest";
import { pullRequestHost } from "../../src/exchange/scm/host/ports.ts";
import { requiredChecks } from "../../src/exchange/scm/host/requiredChecks.ts";
import { Writers } from "../../src/exchange/scm/host/writers.ts";
import { hostStack, makeIntegration } from "../support/scm.ts";
import { failure, test as hostTest, SECONDARY } from "../support/scmHostTest.ts";
import type { HostRequest } from "../support/scriptedHost.ts";

const PEOPLE = { bea: 2, cem: 3, dan: 4 };
const isLookup = ({ path }: HostRequest) => path.endsWith("/permission");

const test = hostTest.extend("reviewed", async ({ world }) => {
  const { database, host, hosts, orgId, first } = world;
  const integration = await makeIntegration(database, hosts.keyring, orgId, host);
  await hostStack(database, orgId, host, { pr_requirements: { promote: ["approved", "checks_passed"] } });
  const port = pullRequestHost(database.db, hosts.hosts, integration);
  const ask = () => port.openPullRequests({ orgId, repositoryKey: host.repositoryKey }, "main");
  function approve(number: number, ...logins: (keyof typeof PEOPLE)[]): void {
    const reviews = logins.map((login) => ({
      state: "APPROVED",
      user: { id: PEOPLE[login], login },
      commit_id: first,
    }));
    host.setPull({ number, base: "main", head: `f${number}`, sha: first, files: [], reviews });
  }
  const lookups = () => host.requests.filter(isLookup).length;
  return { ask, approve, lookups };
});

describe("an approval", () => {
  test.for(["admin", "write"] as const)(
    "of a person with %s access counts",
    async (permission, { world, reviewed }) => {
      world.host.people.set("bea", { id: PEOPLE.bea, permission });
      reviewed.approve(1, "bea");
      expect(await reviewed.ask()).toMatchObject([{ approved: true, approvedReason: null }]);
    },
  );

  test.for(["read", "none"] as const)(
    "of a person with %s access does not",
    async (permission, { world, reviewed }) => {
      world.host.people.set("bea", { id: PEOPLE.bea, permission });
      reviewed.approve(1, "bea");
      expect(await reviewed.ask()).toMatchObject([
        { approved: false, approvedReason: "1 review by a person without write access" },
      ]);
    },
  );

  test("does not count under a name that is another person's by now, or nobody's", async ({ world, reviewed }) => {
    world.host.people.set("bea", { id: 99, permission: "admin" });
    reviewed.approve(1, "bea");
    world.host.script = (asked) => (asked.path.includes("/cem/") ? { status: 404 } : undefined);
    reviewed.approve(2, "cem");
    expect((await reviewed.ask()).map(({ approved }) => approved)).toEqual([false, false]);
  });

  test("costs one question for each person, whatever the number of requests", async ({ world, reviewed }) => {
    for (const [login, id] of Object.entries(PEOPLE)) world.host.people.set(login, { id, permission: "read" });
    for (let number = 1; number <= 12; number++) reviewed.approve(number, "bea", "cem", "dan");
    await reviewed.ask();
    expect(reviewed.lookups()).toBe(3);
    await reviewed.ask();
    expect(reviewed.lookups()).toBe(3);
  });

  test("is unknown while the host refuses to say who may write, and it is asked once", async ({ world, reviewed }) => {
    for (let number = 1; number <= 3; number++) reviewed.approve(number, "bea", "cem");
    world.host.script = (asked) => (isLookup(asked) ? { status: 422 } : undefined);
    const found = await reviewed.ask();
    for (const { approved, approvedReason, failure: later } of found) {
      expect({ approved, later }).toEqual({ approved: null, later: undefined });
      expect(approvedReason).toMatch(/^whether its reviewers have write access is not known: /);
    }
    // Four requests are read at once.
    expect(reviewed.lookups()).toBeLessThanOrEqual(3);
  });

  test.for([{ status: 503 }, { status: 403, headers: { "x-ratelimit-remaining": "57" }, body: SECONDARY }])(
    "is asked for again when the host fails with $status",
    async (reply, { world, reviewed }) => {
      world.host.people.set("bea", { id: PEOPLE.bea, permission: "write" });
      reviewed.approve(1, "bea");
      world.host.script = (asked) => (isLookup(asked) ? reply : undefined);
      const [found] = await reviewed.ask();
      expect(found).toMatchObject({ approved: null, failure: expect.any(Error) });
      world.host.script = () => undefined;
      expect(await reviewed.ask()).toMatchObject([{ approved: true }]);
    },
  );
});

test("who may write is believed for a minute", async ({ world }) => {
  const { host, calls } = world;
  const clock = { at: 1_000, now: () => clock.at };
  const mayWrite = new Writers(clock).of("here", await calls());
  const bea = { id: PEOPLE.bea, login: "bea" };
  host.people.set("bea", { id: PEOPLE.bea, permission: "write" });
  expect(await mayWrite(bea)).toBe(true);
  host.people.set("bea", { id: PEOPLE.bea, permission: "read" });
  clock.at += 59_000;
  expect(await mayWrite(bea)).toBe(true);
  clock.at += 2_000;
  expect(await mayWrite(bea)).toBe(false);
});

describe("required checks", () => {
  const rule = (...names: string[]) => ({
    type: "required_status_checks",
    parameters: { required_status_checks: names.map((context) => ({ context, integration_id: 7 })) },
  });

  test("come from the branch's protection and from rulesets, to their last page", async ({ world }) => {
    const { host, calls } = world;
    host.pageSize = 1;
    host.protection = {
      enabled: true,
      required_status_checks: {
        enforcement_level: "everyone",
        contexts: ["build", "old"],
        checks: [
          { context: "build", app_id: 9 },
          { context: "lint", app_id: -1 },
        ],
      },
    };
    host.rules = [rule("e2e"), { type: "pull_request", parameters: {} }, rule("scan")];
    expect(await requiredChecks(await calls(), "main")).toEqual([
      { name: "build", app: 9 },
      { name: "lint", app: null },
      { name: "old", app: null },
      { name: "e2e", app: 7 },
      { name: "scan", app: 7 },
    ]);
  });

  test.for([401, 403, 404, 410, 422])(
    "are unknown where the host answers %i, and all count",
    async (status, { world, reviewed }) => {
      const { host } = world;
      host.script = ({ path }) => (/\/(rules|branches)\//.test(path) ? { status } : undefined);
      host.checkRuns.push({ name: "nightly", status: "completed", conclusion: "failure" });
      reviewed.approve(1);
      expect(await reviewed.ask()).toMatchObject([{ checksPassed: false, checksReason: "failed: nightly" }]);
    },
  );

  test("that cannot be read now fail the answer as a whole", async ({ world }) => {
    world.host.script = ({ path }) => (path.includes("/rules/") ? { status: 503 } : undefined);
    expect(await failure(requiredChecks(await world.calls(), "main"))).toMatchObject({ failure: "unavailable" });
  });

  test("cost two questions for a branch, whatever the number of requests", async ({ world, reviewed }) => {
    const { host } = world;
    host.rules = [rule("build")];
    host.checkRuns.push({ name: "build", status: "completed", conclusion: "success", app: { id: 7 } });
    host.checkRuns.push({ name: "nightly", status: "completed", conclusion: "failure" });
    for (let number = 1; number <= 6; number++) reviewed.approve(number);
    for (const { checksPassed } of await reviewed.ask()) expect(checksPassed).toBe(true);
    expect(host.asked.filter((call) => /^GET \/(rules|branches)\//.test(call))).toHaveLength(2);
  });
});
