/** Runner groups and runners as people manage them (docs/rules/dispatch.md#groups). */
import { createHash, createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countStatements } from "../../src/platform/db/statements.ts";
import { claim, create, makeStack } from "../support/fixtures.ts";
import { type Answer, type Grant, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
let org: string;
let admin: string;
let number = 0;

beforeAll(async () => {
  api = await startPeopleApi();
  org = await api.makeOrg();
  admin = (await api.makeAccount(org, [["*", "*"]])).token;
});
afterAll(() => api.close());

const path = (id = "", of = org) => `/api/v1/orgs/${of}/runner-groups${id === "" ? "" : `/${id}`}`;
const named = (more: Record<string, unknown> = {}) => ({ name: `group ${++number}`, ...more });
const post = (body: unknown, token = admin) => api.call("POST", path(), { token, body });
const made = async (more: Record<string, unknown> = {}) => (await post(named(more))).body.group;
const holding = async (grants: Grant[]) => (await api.makeAccount(org, grants)).token;
const fields = (answer: Answer) => answer.body.errors?.map((error: { field: string }) => error.field);

describe("keys", () => {
  const works = (privatePem: string, publicPem: string) =>
    verify(
      "sha256",
      Buffer.from("x"),
      createPublicKey(publicPem),
      sign("sha256", Buffer.from("x"), createPrivateKey(privatePem)),
    );

  test("the private key is in the answer to create and to rotate, and nowhere else", async () => {
    const answer = await post(named({ labels: { pool: "big" }, max_concurrent_runs: 3 }));
    expect(answer.status).toBe(201);
    const { group, private_key: first } = answer.body;
    expect(group).toMatchObject({
      org_id: org,
      labels: { pool: "big" },
      max_concurrent_runs: 3,
      last_contact_at: null,
    });
    expect(first).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(createPrivateKey(first).asymmetricKeyDetails?.namedCurve).toBe("prime256v1");
    expect(works(first, group.public_key)).toBe(true);
    const der = createPublicKey(group.public_key).export({ type: "spki", format: "der" });
    expect(group.public_key_fingerprint).toBe(createHash("sha256").update(der).digest("hex"));

    const rotated = await api.call("POST", path(`${group.id}/rotate-key`), { token: admin });
    expect(rotated.status).toBe(200);
    const second = rotated.body.private_key;
    expect(works(second, rotated.body.group.public_key)).toBe(true);
    expect(works(first, rotated.body.group.public_key)).toBe(false);
    expect(rotated.body.group.public_key_fingerprint).not.toBe(group.public_key_fingerprint);

    const shown = [
      await api.call("GET", path(group.id), { token: admin }),
      await api.call("GET", path(), { token: admin }),
      await api.call("PATCH", path(group.id), { token: admin, body: { max_concurrent_runs: 4 } }),
    ];
    const [stored] = await api.database
      .sql`select to_jsonb(g)::text as row from runner_groups g where id = ${group.id}`;
    const everywhere = [...shown.map((answer) => answer.text), stored?.row, JSON.stringify(api.logged)].join("\n");
    for (const key of [first, second]) expect(everywhere).not.toContain(key.split("\n")[1]);
    expect(everywhere).not.toContain("PRIVATE KEY");
  });
});

describe("create and change", () => {
  test("defaults, 409 for a taken name, 422 for each bad value", async () => {
    const body = named();
    expect((await post(body)).body.group).toMatchObject({ ...body, labels: {}, max_concurrent_runs: 10 });
    expect((await post(body)).body).toMatchObject({ status: 409, code: "conflict" });
    for (const [field, value] of [
      ["name", ""],
      ["labels", { "svc:x": "1" }],
      ["labels", []],
      ["max_concurrent_runs", 0],
      ["max_concurrent_runs", 1.5],
      ["max_concurrent_runs", "3"],
      ["public_key", "x"],
    ] as const) {
      const answer = await post(named({ [field]: value }));
      expect([field, answer.status]).toEqual([field, 422]);
      expect(fields(answer)[0]).toMatch(new RegExp(`^${field}`));
    }
  });

  test("PATCH changes what is sent, PUT replaces", async () => {
    const group = await made({ labels: { a: "1" }, max_concurrent_runs: 5 });
    const patched = await api.call("PATCH", path(group.id), { token: admin, body: { labels: { b: "2" } } });
    expect(patched.body).toMatchObject({ name: group.name, labels: { b: "2" }, max_concurrent_runs: 5 });
    const put = await api.call("PUT", path(group.id), { token: admin, body: { name: `${group.name}!` } });
    expect(put.body).toMatchObject({ name: `${group.name}!`, labels: {}, max_concurrent_runs: 10 });
    expect(put.body.public_key).toBe(group.public_key);
    const other = await made();
    expect((await api.call("PATCH", path(group.id), { token: admin, body: { name: other.name } })).status).toBe(409);
    expect(fields(await api.call("PUT", path(group.id), { token: admin, body: {} }))).toEqual(["name"]);
  });

  test("403 to create without permission on the name; a new name needs (runner_group, update) on it too", async () => {
    const grants: Grant[] = ["create", "update", "read"].map((action) => [
      "runner_group",
      action,
      { pattern: "mine-%" },
    ]);
    const token = await holding(grants);
    expect((await post({ name: "theirs" }, token)).body).toMatchObject({ status: 403, code: "forbidden" });
    const { body } = await post({ name: "mine-1" }, token);
    const rename = (name: string) => api.call("PATCH", path(body.group.id), { token, body: { name } });
    expect((await rename("theirs")).status).toBe(404);
    expect((await rename("mine-2")).status).toBe(200);
  });

  test("a new name brings the group under no pattern that gives the caller more than before", async () => {
    const grants: Grant[] = [
      ["runner_group", "update"],
      ["runner_group", "read"],
      ["runner", "delete", { pattern: "mine-%" }],
    ];
    const token = await holding(grants);
    const { id } = await made();
    const rename = (name: string) => api.call("PATCH", path(id), { token, body: { name } });
    expect((await rename("mine-stolen")).status).toBe(404);
    expect((await rename("yours")).status).toBe(200);
  });

  test("lists page by page, scoped by pattern; a stranger's is empty", async () => {
    const of = await api.makeOrg();
    const { token } = await api.makeAccount(of, [["*", "*"]]);
    for (const name of ["a-1", "a-2", "b-1"]) await api.call("POST", path("", of), { token, body: { name } });
    const { token: scoped } = await api.makeAccount(of, [["runner_group", "read", { pattern: "a-%" }]]);
    const first = await api.call("GET", `${path("", of)}?limit=1&sort=name`, { token: scoped });
    expect(first.body.items.map((group: { name: string }) => group.name)).toEqual(["a-1"]);
    const next = await api.call("GET", `${path("", of)}?limit=5&sort=name&cursor=${first.body.next_cursor}`, {
      token: scoped,
    });
    expect(next.body.items.map((group: { name: string }) => group.name)).toEqual(["a-2"]);
    expect(next.body.next_cursor).toBeNull();
    expect((await api.call("GET", path("", of), { token: admin })).body).toEqual({ items: [], next_cursor: null });
    const { statements } = await countStatements(async () =>
      api.app.request(path("", of), { headers: { authorization: `Bearer ${token}` } }),
    );
    expect(statements).toHaveLength(3);
  });
});

describe("which group serves which run", () => {
  const serving = async (of: string, labels: object): Promise<string[]> => {
    const rows = await api.database.sql`
      select g.name from group_selectors gs join runner_groups g on g.id = gs.group_id join runner_selectors s on s.id = gs.selector_id
      where s.org_id = ${of} and s.labels = ${api.database.sql.json(labels as never)} order by 1`;
    return rows.map((row) => row.name);
  };

  test("follows creation, labels, the default and deletion in the same answer", async () => {
    const of = await api.makeOrg();
    const { token } = await api.makeAccount(of, [["*", "*"]]);
    const call = (method: string, where: string, body?: object) =>
      api.call(method, where, { token, ...(body ? { body } : {}) });
    await makeStack(api.database, of, { labels: { "svc:runner-group:pool": "big" } });
    await api.database.sql`select ensure_selector(${of}, '{"pool": "big"}'), ensure_selector(${of}, '{}')`;
    expect(await serving(of, { pool: "big" })).toEqual([]);

    const big = (await call("POST", path("", of), { name: "big", labels: { pool: "big", zone: "a" } })).body.group;
    const any = (await call("POST", path("", of), { name: "any" })).body.group;
    expect(await serving(of, { pool: "big" })).toEqual(["big"]);
    expect(await serving(of, {})).toEqual([]);

    await call("PATCH", path(any.id, of), { labels: { pool: "big" } });
    expect(await serving(of, { pool: "big" })).toEqual(["any", "big"]);
    await call("PATCH", `/api/v1/orgs/${of}`, { default_runner_group_id: any.id });
    expect(await serving(of, {})).toEqual(["any"]);

    await call("PUT", path(big.id, of), { name: "big" });
    expect(await serving(of, { pool: "big" })).toEqual(["any"]);
    expect((await call("DELETE", path(any.id, of))).status).toBe(204);
    expect(await serving(of, { pool: "big" })).toEqual([]);
    expect(await serving(of, {})).toEqual([]);
    expect((await call("GET", `/api/v1/orgs/${of}`)).body.default_runner_group_id).toBeNull();
  });

  test("pollers are woken for the runs a change lets them claim", async () => {
    const of = await api.makeOrg();
    const { token } = await api.makeAccount(of, [["*", "*"]]);
    const stackKey = await makeStack(api.database, of, { labels: { "svc:runner-group:pool": "new" } });
    const deployment = await create(api.service, stackKey);
    const [run] = await api.database.sql`select selector_id, status from runs where deployment_id = ${deployment}`;
    expect(run?.status).toBe("pending");
    const woken: string[] = [];
    const { runsPending } = api.service;
    api.service.runsPending = (selectorIds) => void woken.push(...selectorIds);
    try {
      await api.call("POST", path("", of), { token, body: { name: "new", labels: { pool: "new" } } });
    } finally {
      api.service.runsPending = runsPending;
    }
    expect(woken).toEqual([run?.selector_id]);
  });

  test("many writers at once leave the table as one after another would", async () => {
    const of = await api.makeOrg();
    const { token } = await api.makeAccount(of, [["*", "*"]]);
    await api.database.sql`select ensure_selector(${of}, '{"pool": "x"}')`;
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        api.call("POST", path("", of), { token, body: { name: `g${i}`, labels: i % 2 === 0 ? { pool: "x" } : {} } }),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(12).fill(201));
    expect(await serving(of, { pool: "x" })).toHaveLength(6);
    const [changed] = await api.database.sql`select match_selectors(${of}) as n`;
    expect(changed?.n).toBe(0);
  });
});

describe("delete", () => {
  /** A group of its own organization that holds an assigned run. */
  const holdingGroup = async () => {
    const of = await api.makeOrg();
    const { token } = await api.makeAccount(of, [["*", "*"]]);
    const group = (await api.call("POST", path("", of), { token, body: { name: "busy" } })).body.group;
    await api.call("PATCH", `/api/v1/orgs/${of}`, { token, body: { default_runner_group_id: group.id } });
    const deployment = await create(api.service, await makeStack(api.database, of));
    const { runId, runnerId } = await claim(api.database, { orgId: of, groupId: group.id }, deployment);
    return { of, token, group, deployment, runId, runnerId };
  };

  test("409 while the group or the runner holds a run, 204 after it ended", async () => {
    const { of, token, group, deployment, runId, runnerId } = await holdingGroup();
    const runner = `/api/v1/orgs/${of}/runners/${runnerId}`;
    expect((await api.call("DELETE", path(group.id, of), { token })).body).toMatchObject({
      status: 409,
      code: "conflict",
    });
    expect((await api.call("DELETE", runner, { token })).body).toMatchObject({ status: 409, code: "conflict" });

    const listed = await api.call("GET", `/api/v1/orgs/${of}/runners?group_id=${group.id}`, { token });
    const [stack] = await api.database.sql`select slug from stacks where org_id = ${of}`;
    expect(listed.body.items).toEqual([
      expect.objectContaining({
        id: runnerId,
        group_id: group.id,
        status: "not-ready",
        assigned_run_id: runId,
        assigned_deployment_id: deployment,
        assigned_stack_id: stack?.slug,
      }),
    ]);

    await api.database
      .sql`update runs set status = 'cancelled', assigned_expires_at = null, completed_at = svc_now() where id = ${runId}`;
    const after = await api.call("GET", `/api/v1/orgs/${of}/runners`, { token });
    expect(after.body.items[0]).toMatchObject({
      assigned_run_id: null,
      assigned_deployment_id: null,
      assigned_stack_id: null,
    });
    expect((await api.call("DELETE", runner, { token })).status).toBe(204);
    expect((await api.call("DELETE", runner, { token })).status).toBe(404);
    expect((await api.call("DELETE", path(group.id, of), { token })).status).toBe(204);
    expect((await api.call("GET", path(group.id, of), { token })).status).toBe(404);
  });

  test("a runner was last seen when it last called, while it is busy and after it fell silent", async () => {
    const { of, runnerId } = await holdingGroup();
    const { sql } = api.database;
    const seen = async () =>
      (await api.call("GET", `/api/v1/orgs/${of}/runners?sort=last_seen_at`, { token })).body.items;
    const { token } = await api.makeAccount(of, [["runner", "read"]]);
    const [claimed] = await seen();
    await sql`insert into run_liveness (run_id, last_seen_at) select run_id, last_seen_at + interval '1 minute' from runners
      where id = ${runnerId} on conflict (run_id) do update set last_seen_at = excluded.last_seen_at`;
    const [called] = await seen();
    expect(Date.parse(called.last_seen_at) - Date.parse(claimed.last_seen_at)).toBe(60_000);
    await sql`update runners set status = 'gone', last_seen_at = last_seen_at + interval '1 hour' where id = ${runnerId}`;
    expect((await seen())[0].last_seen_at).toBe(called.last_seen_at);
  });

  test("runners are listed and removed by the name of their group", async () => {
    const { of, runnerId } = await holdingGroup();
    const { token: mine } = await api.makeAccount(of, [["runner", "*", { pattern: "busy" }]]);
    const { token: others } = await api.makeAccount(of, [["runner", "*", { pattern: "idle" }]]);
    const list = async (token: string) => (await api.call("GET", `/api/v1/orgs/${of}/runners`, { token })).body.items;
    expect(await list(mine)).toHaveLength(1);
    expect(await list(others)).toEqual([]);
    expect(await list(admin)).toEqual([]);
    const runner = `/api/v1/orgs/${of}/runners/${runnerId}`;
    expect((await api.call("DELETE", runner, { token: others })).status).toBe(404);
    expect((await api.call("DELETE", runner, { token: mine })).status).toBe(409);
    expect(fields(await api.call("GET", `/api/v1/orgs/${of}/runners?group_id=x`, { token: mine }))).toEqual([
      "group_id",
    ]);
  });
});
