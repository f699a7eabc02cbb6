/**
 * On routes below one resource every denial is the same 404, bytes and headers, whatever its cause
 * (docs/rules/permissions.md#the-uniform-404).
 */
import { describe, expect } from "vitest";
import { insertGroup } from "../../bench/harness/rows.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { ACTOR, create } from "../support/fixtures.ts";
import type { Caller } from "../support/peopleApi.ts";
import { peopleTest } from "../support/test.ts";

const MISSING = "01a1f77a-0000-7000-8000-00000000dead";

const test = peopleTest().extend("world", { scope: "file" }, async ({ api }) => {
  const { sql } = api.database;
  const org = await api.makeOrg();
  const admin = (await api.makeAccount(org, [["*", "*"]])).token;
  const powerless = (await api.makeAccount(org, [["org", "read"]])).token;
  const stranger = (await api.makeAccount(await api.makeOrg(), [["*", "*"]])).token;
  const [stack] = await sql`insert into stacks (org_id, slug, name, repository_url, branch)
    values (${org}, 'there', 'there', 'https://git.example/r', 'main') returning stack_key`;
  const deployment = await create(api.service, stack?.stack_key, { actor: ACTOR });
  const [run] = await sql`select id from runs where deployment_id = ${deployment}`;
  const { groupId } = await insertGroup(sql, org, { name: "there" });
  const [runner] = await sql`insert into runners (org_id, group_id, run_id, claim_seq)
    values (${org}, ${groupId}, ${run?.id}, 7) returning id`;
  const [integration] = await sql`insert into scm_integrations (org_id, name, url_pattern)
    values (${org}, 'there', 'x') returning id`;
  const ids = { stack: "there", group: groupId, runner: runner?.id, deployment, integration: integration?.id };
  const outsider = await api.makeUser({ orgs: [await api.makeOrg()], grants: [["*", "*"]] });
  const member = await api.makeUser({ orgs: [org], grants: [["org", "read"]] });
  const former = await api.makeUser({ orgs: [org], grants: [["*", "*"]] });

  /** People: of another organization, of this one without the permission, and one whose membership has ended. */
  const people = [outsider.user, member.user, former.user];

  /** Every route of the application that names one stack, runner group, runner or code host integration. */
  function singleResourceRoutes() {
    const routes = api.app.routes.filter(
      ({ method, path }) =>
        method !== "ALL" &&
        /:(stack_id|group_id|runner_id|integration_id)/.test(path) &&
        path.startsWith("/api/v1/orgs") &&
        // Called by the code host, which proves itself by a signature.
        !path.endsWith("/webhook") &&
        // Called by an engine, which takes 404 for a state that was never written: test/core/states.test.ts.
        !(/\/state(?:\/lock)?$/.test(path) && !(method === "GET" && path.endsWith("/lock"))),
    );
    return [...new Set(routes.map(({ method, path }) => `${method} ${path}`))].map(
      (line) => line.split(" ") as [string, string],
    );
  }
  const filled = (path: string, missing: boolean, of = org) =>
    path
      .replace(":org_id", of)
      .replace(":stack_id", missing ? "not-there" : ids.stack)
      .replace(":group_id", missing ? MISSING : ids.group)
      .replace(":runner_id", missing ? MISSING : ids.runner)
      .replace(":integration_id", missing ? MISSING : ids.integration)
      .replace(/:id\b/, missing ? MISSING : ids.deployment);

  async function seen(method: string, path: string, who: string | Caller) {
    const caller = typeof who === "string" ? { token: who } : who;
    const answer = await api.call(method, path, { ...caller, ...(method === "GET" ? {} : { body: {} }) });
    const headers = [...answer.headers].filter(([name]) => !["x-request-id", "date"].includes(name));
    return JSON.stringify({ status: answer.status, headers, text: answer.text });
  }

  return { singleResourceRoutes, filled, seen, sql, org, admin, powerless, stranger, former, people };
});

test.beforeAll(async ({ world }) => {
  await world.sql`update memberships set expires_at = svc_now() where user_id = ${world.former.user}`;
});

describe("one 404", () => {
  test("a stranger, a missing resource and a missing permission look alike on every such route", async ({
    api,
    world,
  }) => {
    const routes = world.singleResourceRoutes();
    expect(routes.length).toBeGreaterThanOrEqual(18);
    const [gone] = await api.database.sql`select count(*)::int as n from deployment_events`;
    const answers = new Set<string>();
    for (const [method, path] of routes) {
      const each = [
        await world.seen(method, world.filled(path, false), world.stranger),
        await world.seen(method, world.filled(path, true), world.admin),
        await world.seen(method, world.filled(path, false), world.powerless),
        await world.seen(method, world.filled(path, false, MISSING), world.admin),
        await world.seen(method, world.filled(path, false, "nonsense"), world.admin),
        ...(await Promise.all(world.people.map((user) => world.seen(method, world.filled(path, false), { user })))),
      ];
      expect([method, path, ...new Set(each)]).toEqual([method, path, each[0]]);
      answers.add(each[0]!);
    }
    expect(answers.size).toBe(1);
    expect(JSON.parse([...answers][0]!).status).toBe(404);
    const [after] = await api.database.sql`select count(*)::int as n from deployment_events`;
    expect(after).toEqual(gone);
  });

  test("each cause costs the same statements, so that time tells nothing either", async ({ api, world }) => {
    for (const [method, path] of world.singleResourceRoutes()) {
      const costs = [];
      for (const [token, missing] of [
        [world.stranger, false],
        [world.admin, true],
        [world.powerless, false],
      ] as const) {
        const request = {
          method,
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          ...(method === "GET" ? {} : { body: "{}" }),
        };
        const { statements } = await countStatements(async () => api.app.request(world.filled(path, missing), request));
        costs.push(statements.length);
      }
      expect([method, path, ...costs]).toEqual([method, path, costs[0], costs[0], costs[0]]);
    }
  });

  test("an id of another organization's resource is missing here, for whoever may do everything here", async ({
    api,
    world,
  }) => {
    const other = await api.makeOrg();
    const { token } = await api.makeAccount(other, [["*", "*"]]);
    for (const [method, path] of world.singleResourceRoutes()) {
      if (path.includes(":stack_id")) continue;
      expect([path, JSON.parse(await world.seen(method, world.filled(path, false, other), token)).status]).toEqual([
        path,
        404,
      ]);
    }
    expect((await api.call("GET", `/api/v1/orgs/${other}/stacks/there`, { token })).status).toBe(404);
  });

  test("names that cannot be an id are refused without a look at the database's types", async ({ api, world }) => {
    for (const id of ["UPPER", "a%20b", "x".repeat(101), "..%2f..", "'--", "%F0%9F%92%A9"]) {
      for (const family of ["stacks", "runner-groups"]) {
        expect(
          (await api.call("GET", `/api/v1/orgs/${world.org}/${family}/${id}`, { token: world.admin })).status,
        ).toBe(404);
      }
    }
  });
});
