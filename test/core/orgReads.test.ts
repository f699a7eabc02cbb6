/** What is read of an organization as a whole: overview, labels, a stack's variables, a group's queue, the graph. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertGroup, insertStacks } from "../../bench/harness/rows.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { claim, create } from "../support/fixtures.ts";
import { type Grant, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
beforeAll(async () => {
  api = await startPeopleApi();
});
afterAll(() => api.close());

async function world() {
  const org = await api.makeOrg();
  const { sql } = api.database;
  const make = async (name: string, more: object = {}) => {
    const [stack] = await insertStacks(sql, org, 1, { name, slug: name, ...more });
    return stack!;
  };
  const get = async (path: string, ...grants: Grant[]) => {
    const { token } = await api.makeAccount(org, grants);
    return api.call("GET", `/api/v1/orgs/${org}${path}`, { token });
  };
  return { org, sql, make, get };
}

test("the overview counts what goes on, waits, is held and has failed, of what the caller may read", async () => {
  const { org, sql, make, get } = await world();
  const [net, db] = [await make("net"), await make("db")];
  const made = [];
  for (const { stack_key } of [net, db, db, net]) made.push(await create(api.service, stack_key));
  await sql`update runs set status = 'cancelled', completed_at = svc_now() where deployment_id = ${made[0]!}`;
  await sql`update deployments set status = 'planning' where id = ${made[0]!}`;
  await sql`update deployments set status = 'waiting', waiting_since = '2026-01-01T00:00:00Z' where id = ${made[0]!}`;
  await sql`update deployments set status = 'failed', completed_at = svc_now() where id = ${made[1]!}`;
  await sql`update stacks set held_at = svc_now(), held_by = 'x', hold_reason = 'r' where stack_key = ${db.stack_key}`;
  const all = await get("/overview", ["stack", "read"]);
  expect(all.body).toEqual({
    items: [
      { status: "queued", count: 2 },
      { status: "waiting", count: 1 },
    ],
    oldest_waiting: { id: made[0], stack_id: net.slug, waiting_since: "2026-01-01T00:00:00Z" },
    held_stacks: 1,
    failed_24h: 1,
    drifted_stacks: 0,
  });
  expect((await get("/overview", ["stack", "read", { pattern: "db" }])).body).toEqual({
    items: [{ status: "queued", count: 1 }],
    oldest_waiting: null,
    held_stacks: 1,
    failed_24h: 1,
    drifted_stacks: 0,
  });
  expect((await get("/overview", ["stack", "deploy"])).body.items).toEqual([]);
  const { token } = await api.makeAccount(org, [["stack", "read"]]);
  const { statements } = await countStatements(async () =>
    api.app.request(`/api/v1/orgs/${org}/overview`, { headers: { authorization: `Bearer ${token}` } }),
  );
  expect(statements).toHaveLength(3);
});

test("labels are those of the stacks that the caller may read", async () => {
  const { make, get } = await world();
  await make("net", { labels: { env: "prod", team: "a" } });
  await make("db", { labels: { env: "dev" } });
  expect((await get("/labels", ["stack", "read"])).body).toEqual({
    items: [
      { key: "env", values: ["dev", "prod"], truncated: false },
      { key: "team", values: ["a"], truncated: false },
    ],
    truncated: false,
  });
  expect((await get("/labels", ["stack", "read", { pattern: "db" }])).body.items).toHaveLength(1);
});

test("a stack's variables come with their context, and no secret with its value", async () => {
  const { org, make, get } = await world();
  const stack = await make("net", { labels: { env: "prod" } });
  const { token } = await api.makeAccount(org, [["*", "*"]]);
  const put = (name: string, selector: object, variables: object[]) =>
    api.call("POST", `/api/v1/orgs/${org}/contexts`, { token, body: { name, selector, variables } });
  await put("a", {}, [
    { name: "REGION", value: "eu" },
    { name: "KEY", value: "open" },
  ]);
  await put("b", { env: "prod" }, [{ name: "KEY", value: "s3cret", secret: true }]);
  await put("c", { env: "dev" }, [{ name: "REGION", value: "us" }]);
  const path = `/stacks/${stack.slug}/variables`;
  const { body, text } = await get(path, ["stack", "read"], ["context", "read"]);
  expect(body.items).toMatchObject([
    { name: "KEY", secret: true, value: null, context: { name: "b" }, overridden: ["a"] },
    { name: "REGION", secret: false, value: "eu", context: { name: "a" }, overridden: [] },
  ]);
  expect(text).not.toContain("s3cret");
  expect((await get(path, ["stack", "read"])).status).toBe(404);
  expect((await get(path, ["context", "read"])).status).toBe(404);
});

test("a group's queue says what waits for it, since when, and how much more it may take", async () => {
  const { org, sql, make, get } = await world();
  const { groupId } = await insertGroup(sql, org, { capacity: 3 });
  const made = [
    await create(api.service, (await make("net")).stack_key),
    await create(api.service, (await make("db")).stack_key),
  ];
  await sql`update runs set first_pending_at = svc_now() - interval '1 hour' where deployment_id = ${made[1]!}`;
  await claim(api.database, { orgId: org, groupId }, made[0]!);
  const { body } = await get(`/runner-groups/${groupId}/queue`, ["runner_group", "read"]);
  expect(body).toMatchObject({ pending: 1, running: 1, capacity: 3, free: 2 });
  expect(body.oldest_pending_seconds).toBeGreaterThanOrEqual(3_600);
  expect((await get(`/runner-groups/${groupId}/queue`, ["stack", "read"])).status).toBe(404);
});

test("the graph shows stacks that may be read, one edge between two, and who lies on a cycle", async () => {
  const { org, sql, make, get } = await world();
  const stacks = [];
  for (const [name, env] of [
    ["a", "p"],
    ["b", "p"],
    ["c", "p"],
    ["d", "q"],
  ])
    stacks.push(await make(name!, { labels: { env } }));
  const [a, b, c, d] = stacks.map(({ stack_key, slug }) => ({ stack_key, slug }));
  const edge = (from: typeof a, to: typeof a, trigger: string) => sql`
    insert into dependency_edges (org_id, dependent_stack_key, provenance, dependency_stack_slug, trigger, edge_hash)
    values (${org}, ${from!.stack_key}, 'declared', ${to!.slug}, ${trigger}, sha256(convert_to(${from!.slug + to!.slug + trigger}, 'UTF8')))`;
  await edge(a, b, "always");
  await edge(a, b, "manual");
  await edge(b, a, "always");
  await edge(d, c, "never");
  await sql`insert into dependency_edges (org_id, dependent_stack_key, provenance, dependency_stack_key, edge_hash)
    values (${org}, ${c!.stack_key}, 'inferred', ${b!.stack_key}, sha256('x'))`;
  const { body } = await get("/dependencies", ["stack", "read"]);
  expect(body.items.map(({ id, in_cycle }: { id: string; in_cycle: boolean }) => [id, in_cycle])).toEqual([
    [a!.slug, true],
    [b!.slug, true],
    [c!.slug, false],
    [d!.slug, false],
  ]);
  const declared = { declared: true, inferred: false };
  expect(body.edges).toEqual([
    { dependent: a!.slug, dependency: b!.slug, trigger: "manual", ...declared },
    { dependent: b!.slug, dependency: a!.slug, trigger: "always", ...declared },
    { dependent: c!.slug, dependency: b!.slug, trigger: "manual", declared: false, inferred: true },
    { dependent: d!.slug, dependency: c!.slug, trigger: "never", ...declared },
  ]);
  expect(body.truncated).toBe(false);
  const some = (await get("/dependencies?labels=env=p", ["stack", "read", { pattern: "_" }])).body;
  expect([some.items.length, some.edges.length]).toEqual([3, 3]);
  expect((await get("/dependencies", ["stack", "read", { pattern: "d" }])).body).toMatchObject({ edges: [] });
});

test("reads of what guards a stack take as many statements however much there is of it", async () => {
  const { org, sql, make } = await world();
  const { token } = await api.makeAccount(org, [["*", "*"]]);
  const { slug, stack_key } = await make("net");
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await api.call(method, `/api/v1/orgs/${org}${path}`, { token, ...(body !== undefined && { body }) });
    expect(answer.status, `${method} ${path} ${answer.text}`).toBeLessThan(300);
    return answer.body;
  };
  const deployment = await create(api.service, stack_key);
  const stack = `/stacks/${slug}`;
  let nth = 0;
  /** One more of each. @returns where they are read */
  async function more(): Promise<Record<string, string>> {
    nth += 1;
    const name = `n${nth}`;
    const policy = (await call("POST", "/policies", { name, enforcement: "mandatory", rules: { max_destroys: nth } }))
      .id;
    await call("POST", `/policies/${policy}/versions`, { rules: { max_destroys: 2 } });
    const ends_at = new Date(Date.now() + 3_600_000).toISOString();
    await call("POST", `/policies/${policy}/exemptions`, { stack_id: slug, reason: "r", ends_at });
    const rule = (await call("POST", "/approval-rules", { name, selector: {}, count: 1, approvers: {} })).id;
    const daily = { name, mode: "plan", cron: "0 3 * * *", time_zone: "UTC" };
    const schedule = (await call("POST", `${stack}/schedules`, daily)).id;
    await call("POST", "/schedules", { ...daily, selector: {} });
    const checks = (await call("POST", "/drift-schedules", { name, selector: {}, policy: { interval: "P1D" } })).id;
    await call("PUT", `${stack}/drift`, { interval: "P1D" });
    await call("PUT", `${stack}/lifetime`, { expires_at: ends_at, reason: "r" });
    await sql`insert into deployment_reviews (org_id, deployment_id, reviewer_id, reviewer_kind, verdict)
      values (${org}, ${deployment}, ${name}, 'user', 'approve')`;
    const other = await make(name);
    await sql`insert into stack_drift (stack_key, org_id, stale) values (${other.stack_key}, ${org}, true) on conflict do nothing`;
    return {
      ...{ policies: "/policies", policy: `/policies/${policy}`, versions: `/policies/${policy}/versions` },
      ...{ version: `/policies/${policy}/versions/1`, exemptions: `/policies/${policy}/exemptions` },
      ...{ evaluations: `${stack}/deployments/${deployment}/policy-evaluations`, rules: "/approval-rules" },
      ...{ rule: `/approval-rules/${rule}`, approvals: `${stack}/deployments/${deployment}/approvals` },
      ...{ schedules: "/schedules", ofStack: `${stack}/schedules`, schedule: `${stack}/schedules/${schedule}` },
      ...{
        drift: "/drift",
        stackDrift: `${stack}/drift`,
        checks: "/drift-schedules",
        check: `/drift-schedules/${checks}`,
      },
      lifetime: `${stack}/lifetime`,
    };
  }
  async function counts(paths: Record<string, string>): Promise<Record<string, number>> {
    const counted: [string, number][] = [];
    for (const [name, path] of Object.entries(paths)) {
      const { result, statements } = await countStatements(async () =>
        api.app.request(`/api/v1/orgs/${org}${path}`, { headers: { authorization: `Bearer ${token}` } }),
      );
      expect(result.status, path).toBe(200);
      counted.push([name, statements.length]);
    }
    return Object.fromEntries(counted);
  }
  const few = await counts(await more());
  for (let i = 0; i < 3; i++) await more();
  expect(await counts(await more())).toEqual(few);
  // The credential, the permission, and what is asked for; of some, whether there is what they are of.
  const four = ["exemptions", "versions", "schedule"];
  expect(few).toEqual(Object.fromEntries(Object.keys(few).map((name) => [name, four.includes(name) ? 4 : 3])));
});
