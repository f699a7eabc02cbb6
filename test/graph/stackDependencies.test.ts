/**
 * `.../dependencies`: what people see of a stack's neighbours, and what they must not
 * (docs/dependencies.md#reading-the-graph).
 */
import { describe, expect } from "vitest";
import { countStatements } from "../../src/platform/db/statements.ts";
import { makeStacks } from "../support/dependencies.ts";
import { test } from "../support/dependencyReadsTest.ts";

describe("dependencies", () => {
  test("both directions as nodes and edges, stacks with their names, resources with their stack", async ({
    api,
    world,
  }) => {
    const { net, app, web } = await world.stacks("net", "app", "web");
    await api.database.sql`update stacks set labels = '{"team": "core"}' where stack_key = ${net}`;
    await world.edges(
      { from: app, slug: "net", trigger: "always", address: "aws_subnet.a", parentAddress: "output.vpc_id" },
      { from: app, on: net, address: "data.aws_vpc.main", parentAddress: "aws_vpc.main" },
      { from: web, slug: "app", trigger: "never" },
    );
    const { body } = await world.get("app", await world.reader());
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
      missing: false,
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

  test("which run the edges come from, and which of its comments were ignored", async ({ api, world }) => {
    const { app } = await world.stacks("app");
    const errors = ["main.tf:3: unknown field from_stak"];
    await api.database.sql`
      insert into dependency_state (stack_key, org_id, declared, resources, comment_errors, comment_errors_count, reconciled_at)
      values (${app}, ${world.org}, 'known', 'known', ${JSON.stringify(errors)}::text::jsonb, 51, svc_now())`;
    const { body } = await world.get("app", await world.reader("app"));
    expect(body.analysis).toMatchObject({ declared: "known", comment_errors: errors, comment_errors_count: 51 });
  });

  test("a declared and an inferred edge of the same endpoints are one edge, both", async ({ api, world }) => {
    const { net, app } = await world.stacks("net", "app");
    const ends = { address: "data.aws_vpc.main", parentAddress: "aws_vpc.main" };
    await world.edges({ from: app, slug: "net", trigger: "always", ...ends }, { from: app, on: net, ...ends });
    await api.database
      .sql`update dependency_edges set file = 'main.tf', line = 7 where dependency_stack_slug is not null and org_id = ${world.org}`;
    const { body } = await world.get("net", await world.reader());
    expect(body.edges).toEqual([
      expect.objectContaining({ provenance: "both", trigger: "always", declared_at: { file: "main.tf", line: 7 } }),
    ]);
  });

  test("a cycle is flagged on its stacks and edges, and on no others", async ({ world }) => {
    const { a, b, c } = await world.stacks("a", "b", "c");
    await world.edges({ from: b, slug: "a", trigger: "always" }, { from: a, slug: "b" }, { from: c, slug: "a" });
    const { body } = await world.get("a", await world.reader());
    const flags = Object.fromEntries(
      body.nodes.map((node: { id: string; in_cycle: boolean }) => [node.id, node.in_cycle]),
    );
    expect(flags).toEqual({ a: true, b: true, c: false });
    for (const edge of body.edges) expect(edge.on_cycle).toBe(edge.dependent !== "stack:c");
  });

  test("a stack that the caller may not read looks like one that is missing, byte for byte", async ({ api, world }) => {
    const { app } = await world.stacks("app", "net");
    await api.database
      .sql`update stacks set labels = '{"secret": "label"}', latest_deployment_status = 'failed' where org_id = ${world.org} and slug = 'net'`;
    await world.edges({
      from: app,
      slug: "net",
      trigger: "always",
      address: "aws_subnet.a",
      parentAddress: "output.vpc_id",
    });
    const caller = await world.reader("app");
    const unreadable = await world.get("app", caller);
    await api.database.sql`update stacks set deleted_at = svc_now() where org_id = ${world.org} and slug = 'net'`;
    const missing = await world.get("app", caller);
    expect(unreadable.text).toBe(missing.text);
    expect(unreadable.text).not.toMatch(/"net"|vpc_id|secret|failed/);
    expect(unreadable.body.nodes).toContainEqual({
      key: "restricted:1",
      kind: "stack",
      id: null,
      stack: null,
      restricted: true,
      missing: false,
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

  test("one that is missing is named to whoever may read every stack, and to nobody else", async ({ world }) => {
    const { app } = await world.stacks("app", "net");
    await world.edges({ from: app, slug: "nowhere", trigger: "always", parentAddress: "output.vpc_id" });
    const { body } = await world.get("app", await world.reader());
    expect(body.nodes).toContainEqual(
      expect.objectContaining({
        key: "missing:nowhere",
        id: "nowhere",
        restricted: false,
        missing: true,
        in_cycle: null,
      }),
    );
    expect(body.edges).toEqual([
      expect.objectContaining({ dependency: "missing:nowhere", trigger: "always", on_cycle: null }),
    ]);
    expect((await world.get("app", await world.reader("app"))).text).not.toMatch(/nowhere|vpc_id/);
  });

  test("what was inferred about a hidden stack says nothing about the one that a declaration names", async ({
    world,
  }) => {
    const { app, net } = await world.stacks("app", "net");
    await world.edges(
      { from: app, slug: "net" },
      { from: app, on: net, address: "data.a.b", parentAddress: "secret.address" },
      { from: app, on: net, address: "data.a.b", parentAddress: "secret.other" },
    );
    const { body, text } = await world.get("app", await world.reader("app"));
    expect(body.nodes.filter((node: { restricted: boolean }) => node.restricted)).toHaveLength(2);
    expect(body.edges.map((edge: { provenance: string }) => edge.provenance).sort()).toEqual(["declared", "inferred"]);
    expect(text).not.toContain("secret");
  });

  test("a hidden dependent shows what of this stack it depends on, and nothing of its own", async ({ api, world }) => {
    const { app, net } = await world.stacks("app", "net");
    await world.edges({ from: app, slug: "net", address: "secret_thing.x", parentAddress: "output.vpc_id" });
    await api.database.sql`update dependency_edges set file = 'secret.tf', line = 1 where org_id = ${world.org}`;
    const { body, text } = await world.get("net", await world.reader("net"));
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

  test("a group grant on the other stack shows it, as a single read would", async ({ api, world }) => {
    const { app } = await world.stacks("app", "net");
    await api.database.sql`update stacks set authz_groups = '{platform}' where org_id = ${world.org} and slug = 'net'`;
    await world.edges({ from: app, slug: "net" });
    const caller = await api.makeAccount(world.org, [
      ["stack", "read", { pattern: "app" }],
      ["stack", "read", { group: "platform" }],
    ]);
    const { body } = await world.get("app", caller);
    expect(body.nodes.map((node: { id: string }) => node.id).sort()).toEqual(["app", "net"]);
  });

  test("super-admins see all; another organization's stack of that id is none of it", async ({ api, world }) => {
    const { app } = await world.stacks("app");
    await makeStacks(api.database, await api.makeOrg(), ["net"]);
    await world.edges({ from: app, slug: "net" });
    const { body } = await world.get("app", await api.makeUser({ superAdmin: true }));
    expect(body.nodes.map(({ id, missing }: { id: string; missing: boolean }) => [id, missing])).toEqual([
      ["app", false],
      ["net", true],
    ]);
  });

  test("few statements, whatever the number of edges", async ({ api, world }) => {
    const { net, ...others } = await world.stacks("net", ...Array.from({ length: 60 }, (_, i) => `s${i}` as const));
    const caller = await world.reader();
    const path = `/api/v1/orgs/${world.org}/stacks/net/dependencies`;
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
    await world.edges(...Object.values(others).map((from) => ({ from, slug: "net", parentAddress: "x.y" })));
    await count();
    expect(await count()).toBe(none);
    // Authentication, the check with the stack, the graph's version, the edges.
    expect(none).toBeLessThanOrEqual(4);
    expect(net).toBeDefined();
  });
});
