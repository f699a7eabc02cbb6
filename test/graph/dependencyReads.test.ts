/**
 * `.../dependencies` and `.../dependency-cycles`: what people see of the graph, and what they must not
 * (docs/dependencies.md#reading-the-graph).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { countStatements } from "../../src/platform/db/statements.ts";
import { makeEdges, makeStacks } from "../support/dependencies.ts";
import { type Caller, type Grant, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
let small: PeopleApi;
let org: string;
beforeAll(async () => {
  api = await startPeopleApi();
  small = await startPeopleApi({
    env: {
      SVC_MAX_RESPONSE_EDGES: "6",
      SVC_MAX_PAIR_EDGES: "3",
      SVC_MAX_NEIGHBORHOOD_EDGES: "12",
      SVC_MAX_ORG_EDGES: "40",
    },
  });
});
afterAll(() => Promise.all([api.close(), small.close()]));
beforeEach(async () => {
  org = await api.makeOrg();
});

const stacks = <S extends string>(...slugs: S[]) => makeStacks(api.database, org, slugs);
const edges = (...list: Parameters<typeof makeEdges>[2]) => makeEdges(api.database, org, list);
const reader = (...names: string[]): Promise<Caller> =>
  api.makeAccount(
    org,
    names.length === 0 ? [["stack", "read"]] : names.map((pattern): Grant => ["stack", "read", { pattern }]),
  );
const get = async (slug: string, caller: Caller, what = "dependencies", from = api, inOrg = org) => {
  const answer = await from.call("GET", `/api/v1/orgs/${inOrg}/stacks/${slug}/${what}`, caller);
  expect(answer.status, answer.text).toBe(200);
  return answer;
};

describe("dependencies", () => {
  test("both directions as nodes and edges, stacks with their names, resources with their stack", async () => {
    const { net, app, web } = await stacks("net", "app", "web");
    await api.database.sql`update stacks set labels = '{"team": "core"}' where stack_key = ${net}`;
    await edges(
      { from: app, slug: "net", trigger: "always", address: "aws_subnet.a", parentAddress: "output.vpc_id" },
      { from: app, on: net, address: "data.aws_vpc.main", parentAddress: "aws_vpc.main" },
      { from: web, slug: "app", trigger: "never" },
    );
    const { body } = await get("app", await reader());
    expect(body.nodes.map((node: { key: string }) => node.key).sort()).toEqual([
      "resource:app:aws_subnet.a",
      "resource:app:data.aws_vpc.main",
      "resource:net:aws_vpc.main",
      "resource:net:output.vpc_id",
      "stack:app",
      "stack:net",
      "stack:web",
    ]);
    expect(body.nodes).toContainEqual({
      key: "stack:net",
      kind: "stack",
      id: "net",
      stack: "net",
      restricted: false,
      in_cycle: false,
      name: "net",
      labels: { team: "core" },
      latest_deployment_status: null,
    });
    const at = { on_cycle: false, declared_at: null };
    expect(body.edges).toHaveLength(3);
    expect(body.edges).toEqual(
      expect.arrayContaining([
        {
          dependent: "resource:app:aws_subnet.a",
          dependency: "resource:net:output.vpc_id",
          trigger: "always",
          provenance: "declared",
          ...at,
        },
        {
          dependent: "resource:app:data.aws_vpc.main",
          dependency: "resource:net:aws_vpc.main",
          trigger: "manual",
          provenance: "inferred",
          ...at,
        },
        { dependent: "stack:web", dependency: "stack:app", trigger: "never", provenance: "declared", ...at },
      ]),
    );
    expect(body).toMatchObject({ total_edges: 3, truncated: false, exceeded_budget: null, analysis: null });
  });

  test("which run the edges come from, and which of its comments were ignored", async () => {
    const { app } = await stacks("app");
    const errors = ["main.tf:3: unknown field from_stak"];
    await api.database.sql`
      insert into dependency_state (stack_key, org_id, declared, resources, comment_errors, comment_errors_count, reconciled_at)
      values (${app}, ${org}, 'known', 'known', ${JSON.stringify(errors)}::text::jsonb, 51, svc_now())`;
    const { body } = await get("app", await reader("app"));
    expect(body.analysis).toMatchObject({ declared: "known", comment_errors: errors, comment_errors_count: 51 });
  });

  test("a declared and an inferred edge of the same endpoints are one edge, both", async () => {
    const { net, app } = await stacks("net", "app");
    const ends = { address: "data.aws_vpc.main", parentAddress: "aws_vpc.main" };
    await edges({ from: app, slug: "net", trigger: "always", ...ends }, { from: app, on: net, ...ends });
    await api.database
      .sql`update dependency_edges set file = 'main.tf', line = 7 where dependency_stack_slug is not null and org_id = ${org}`;
    const { body } = await get("net", await reader());
    expect(body.edges).toEqual([
      expect.objectContaining({ provenance: "both", trigger: "always", declared_at: { file: "main.tf", line: 7 } }),
    ]);
  });

  test("a cycle is flagged on its stacks and edges, and on no others", async () => {
    const { a, b, c } = await stacks("a", "b", "c");
    await edges({ from: b, slug: "a", trigger: "always" }, { from: a, slug: "b" }, { from: c, slug: "a" });
    const { body } = await get("a", await reader());
    const flags = Object.fromEntries(
      body.nodes.map((node: { id: string; in_cycle: boolean }) => [node.id, node.in_cycle]),
    );
    expect(flags).toEqual({ a: true, b: true, c: false });
    for (const edge of body.edges) expect(edge.on_cycle).toBe(edge.dependent !== "stack:c");
  });

  test("a stack that the caller may not read looks like one that is missing, byte for byte", async () => {
    const { app } = await stacks("app", "net");
    await api.database
      .sql`update stacks set labels = '{"secret": "label"}', latest_deployment_status = 'failed' where org_id = ${org} and slug = 'net'`;
    await edges({ from: app, slug: "net", trigger: "always", address: "aws_subnet.a", parentAddress: "output.vpc_id" });
    const caller = await reader("app");
    const unreadable = await get("app", caller);
    await api.database.sql`update stacks set deleted_at = svc_now() where org_id = ${org} and slug = 'net'`;
    const missing = await get("app", caller);
    expect(unreadable.text).toBe(missing.text);
    expect(unreadable.text).not.toMatch(/"net"|vpc_id|secret|failed/);
    expect(unreadable.body.nodes).toContainEqual({
      key: "restricted:1",
      kind: "stack",
      id: null,
      stack: null,
      restricted: true,
      in_cycle: null,
      name: null,
      labels: null,
      latest_deployment_status: null,
    });
    expect(unreadable.body.edges).toEqual([
      expect.objectContaining({
        dependent: "resource:app:aws_subnet.a",
        dependency: "restricted:1",
        on_cycle: null,
        trigger: "always",
      }),
    ]);
  });

  test("what was inferred about a hidden stack says nothing about the one that a declaration names", async () => {
    const { app, net } = await stacks("app", "net");
    await edges(
      { from: app, slug: "net" },
      { from: app, on: net, address: "data.a.b", parentAddress: "secret.address" },
      { from: app, on: net, address: "data.a.b", parentAddress: "secret.other" },
    );
    const { body, text } = await get("app", await reader("app"));
    expect(body.nodes.filter((node: { restricted: boolean }) => node.restricted)).toHaveLength(2);
    expect(body.edges.map((edge: { provenance: string }) => edge.provenance).sort()).toEqual(["declared", "inferred"]);
    expect(text).not.toContain("secret");
  });

  test("a hidden dependent shows what of this stack it depends on, and nothing of its own", async () => {
    const { app, net } = await stacks("app", "net");
    await edges({ from: app, slug: "net", address: "secret_thing.x", parentAddress: "output.vpc_id" });
    await api.database.sql`update dependency_edges set file = 'secret.tf', line = 1 where org_id = ${org}`;
    const { body, text } = await get("net", await reader("net"));
    expect(body.edges).toEqual([
      expect.objectContaining({
        dependent: "restricted:1",
        dependency: "resource:net:output.vpc_id",
        declared_at: null,
      }),
    ]);
    expect(text).not.toMatch(/secret|app/);
    expect(net).toBeDefined();
  });

  test("a group grant on the other stack shows it, as a single read would", async () => {
    const { app } = await stacks("app", "net");
    await api.database.sql`update stacks set authz_groups = '{platform}' where org_id = ${org} and slug = 'net'`;
    await edges({ from: app, slug: "net" });
    const caller = await api.makeAccount(org, [
      ["stack", "read", { pattern: "app" }],
      ["stack", "read", { group: "platform" }],
    ]);
    const { body } = await get("app", caller);
    expect(body.nodes.map((node: { id: string }) => node.id).sort()).toEqual(["app", "net"]);
  });

  test("super-admins see all; another organization's stack of that id is none of it", async () => {
    const { app } = await stacks("app");
    await makeStacks(api.database, await api.makeOrg(), ["net"]);
    await edges({ from: app, slug: "net" });
    const { body } = await get("app", await api.makeUser({ superAdmin: true }));
    expect(body.nodes.map((node: { id: string | null }) => node.id)).toEqual(["app", null]);
  });

  test("few statements, whatever the number of edges", async () => {
    const { net, ...others } = await stacks("net", ...Array.from({ length: 60 }, (_, i) => `s${i}` as const));
    const caller = await reader();
    const path = `/api/v1/orgs/${org}/stacks/net/dependencies`;
    const count = async () =>
      (
        await countStatements(async () => {
          const answer = await api.app.request(path, { headers: { authorization: `Bearer ${caller.token}` } });
          expect(answer.status).toBe(200);
          return answer.json();
        })
      ).statements.length;
    await count();
    const none = await count();
    await edges(...Object.values(others).map((from) => ({ from, slug: "net", parentAddress: "x.y" })));
    await count();
    expect(await count()).toBe(none);
    // Authentication, the check with the stack, the graph's version, the edges.
    expect(none).toBeLessThanOrEqual(4);
    expect(net).toBeDefined();
  });
});

describe("caps", () => {
  test("an answer keeps every neighbor before it keeps a second edge of one, and says that some are left out", async () => {
    const inOrg = await small.makeOrg();
    const made = await makeStacks(small.database, inOrg, ["net", "a", "b"]);
    await makeEdges(small.database, inOrg, [
      ...Array.from({ length: 7 }, (_, i) => ({ from: made.a, slug: "net", parentAddress: `x.${i}` })),
      { from: made.b, slug: "net" },
    ]);
    const { token } = await small.makeAccount(inOrg, [["stack", "read"]]);
    const { body } = await get("net", { token }, "dependencies", small, inOrg);
    const from = (id: string) => body.edges.filter((edge: { dependent: string }) => edge.dependent === `stack:${id}`);
    expect(from("a")).toHaveLength(3);
    expect(from("b")).toHaveLength(1);
    expect(body).toMatchObject({ total_edges: 8, truncated: true, exceeded_budget: null });
  });

  test("no more edges than an answer may have", async () => {
    const inOrg = await small.makeOrg();
    const slugs = Array.from({ length: 9 }, (_, i) => `s${i}` as const);
    const { net, ...others } = await makeStacks(small.database, inOrg, ["net", ...slugs]);
    await makeEdges(
      small.database,
      inOrg,
      Object.values(others).map((from) => ({ from, on: net })),
    );
    const { token } = await small.makeAccount(inOrg, [["stack", "read"]]);
    const { body } = await get("net", { token }, "dependencies", small, inOrg);
    expect(body.edges).toHaveLength(6);
    expect(body).toMatchObject({ total_edges: 9, truncated: true });
  });

  test("past the neighborhood budget cycles are not judged; past the organization's neither, in both reads", async () => {
    const inOrg = await small.makeOrg();
    const { net, app } = await makeStacks(small.database, inOrg, ["net", "app"]);
    const { token } = await small.makeAccount(inOrg, [["stack", "read"]]);
    const seed = (from: number, count: number) =>
      makeEdges(
        small.database,
        inOrg,
        Array.from({ length: count }, (_, i) => ({ from: app, slug: "net", parentAddress: `x.${from + i}` })),
      );
    await seed(0, 13);
    const { body } = await get("net", { token }, "dependencies", small, inOrg);
    expect(body).toMatchObject({ truncated: true, exceeded_budget: "max_neighborhood_edges" });
    expect(body.nodes.every((node: { in_cycle: null }) => node.in_cycle === null)).toBe(true);
    expect((await get("net", { token }, "dependency-cycles", small, inOrg)).body.in_cycle).toBe(false);
    await seed(13, 28);
    expect((await get("net", { token }, "dependency-cycles", small, inOrg)).body).toMatchObject({
      in_cycle: null,
      exceeded_budget: "max_org_edges",
      members: [],
    });
    expect(net).toBeDefined();
  });
});

describe("cycles", () => {
  const ring = async () => {
    const made = await stacks("a", "b", "c", "d");
    await edges(
      { from: made.b, slug: "a" },
      { from: made.c, slug: "b" },
      { from: made.a, slug: "c" },
      { from: made.d, slug: "a" },
    );
  };

  test("the way round, from the stack that was asked about, and all that lie on it", async () => {
    await ring();
    const { body } = await get("b", await reader(), "dependency-cycles");
    const named = (id: string) => ({ id, name: id, restricted: false });
    expect(body).toEqual({
      in_cycle: true,
      exceeded_budget: null,
      cycle: ["b", "c", "a"].map(named),
      members: ["a", "b", "c"].map(named),
      total_members: 3,
      truncated: false,
    });
  });

  test("hidden stacks keep their place in it without a name", async () => {
    await ring();
    const { body } = await get("b", await reader("a", "b"), "dependency-cycles");
    const hidden = { id: null, name: null, restricted: true };
    expect(body.cycle.map((member: { id: string | null }) => member.id)).toEqual(["b", null, "a"]);
    expect(body.members.at(-1)).toEqual(hidden);
    expect(body.total_members).toBe(3);
  });

  test("a stack that only hangs on one, and one without edges, lie on none", async () => {
    await ring();
    await stacks("alone");
    const none = {
      in_cycle: false,
      exceeded_budget: null,
      cycle: null,
      members: [],
      total_members: 0,
      truncated: false,
    };
    expect((await get("d", await reader(), "dependency-cycles")).body).toEqual(none);
    expect((await get("alone", await reader(), "dependency-cycles")).body).toEqual(none);
  });
});
