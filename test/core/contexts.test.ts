/**
 * Contexts: who writes them, what comes back, and that a secret reaches the accept answer and nothing else
 * (docs/access.md#contexts-and-protected-labels).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { databaseText, formsIn } from "../support/databaseText.ts";
import { create, makeStack } from "../support/fixtures.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { coordinator, makeGroup, type RunnerApi, runner, startRunnerApi } from "../support/runnerApi.ts";

const SECRET = "correct-horse-battery";
const MISSING = "01a1f77a-0000-7000-8000-00000000dead";

let api: PeopleApi;
let runners: RunnerApi;
let org: string;
let admin: string;
const path = (id = "") => `/api/v1/orgs/${org}/contexts${id && `/${id}`}`;
const call = (method: string, at: string, body?: unknown, token = admin) => api.call(method, at, { token, body });
const secret = (name: string, value?: string) => ({ name, secret: true, ...(value === undefined ? {} : { value }) });

beforeAll(async () => {
  api = await startPeopleApi();
  runners = await startRunnerApi(api.database, { keyring: api.keyring });
});
beforeEach(async () => {
  org = await api.makeOrg();
  admin = (await api.makeAccount(org, [["*", "*"]])).token;
});
afterAll(async () => {
  await runners.close();
  await api.close();
});

async function acceptedEnvironment(
  labels: Record<string, string>,
  prepare: (deploymentId: string) => Promise<unknown> = async () => {},
) {
  const { database } = api;
  await database.sql`update organizations set runs_per_hour_limit = 1000 where id = ${org}`;
  const group = await makeGroup(database, org);
  const stackKey = await makeStack(database, org, { labels: database.sql.json(labels) });
  await prepare(await create(runners.service, stackKey));
  const claimed = await (await coordinator(runners, group)).claim(5);
  const one = await runner(runners, group, claimed);
  await one.ready();
  const answer = await one.accept();
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { environment: unknown }).environment;
}

describe("at accept", () => {
  test("a run gets the variables of every context that its stack's labels contain; the later name wins", async () => {
    const put = (name: string, selector: object, variables: object[]) =>
      call("POST", path(), { name, selector, variables });
    for (const [name, selector, variables] of [
      ["b-team", { team: "core" }, [secret("TOKEN", SECRET), { name: "REGION", value: "from-b" }]],
      ["a-all", {}, [{ name: "REGION", value: "from-a" }, { name: "ALL", value: "" }, secret("TOKEN", "not this one")]],
      ["c-other", { team: "core", tier: "prod" }, [{ name: "REGION", value: "from-c" }]],
    ] as const) {
      expect((await put(name, selector, [...variables])).status).toBe(201);
    }
    expect(await acceptedEnvironment({ team: "core", tier: "dev" })).toEqual([
      { name: "ALL", value: "", secret: false },
      { name: "REGION", value: "from-b", secret: false },
      { name: "TOKEN", value: SECRET, secret: true },
    ]);
    // Neither the database, nor a log line, nor what people may read.
    expect(formsIn(await databaseText(api.database.sql), SECRET)).toEqual([]);
    expect(JSON.stringify(api.logged)).not.toContain(SECRET);
    for (const at of [path(), `/api/v1/orgs/${org}/audit-log`, `/api/v1/orgs/${org}/stacks`]) {
      const answer = await call("GET", at);
      expect([at, answer.status, answer.text.includes(SECRET)]).toEqual([at, 200, false]);
    }
  });

  test("code of a fork gets no secret, nor the value that a secret stands before; other previews get all", async () => {
    for (const [name, variables] of [
      [
        "a",
        [
          { name: "TOKEN", value: "plain, and loses" },
          { name: "REGION", value: "here" },
        ],
      ],
      ["b", [secret("TOKEN", SECRET)]],
    ] as const) {
      expect((await call("POST", path(), { name, selector: {}, variables })).status).toBe(201);
    }
    const { sql } = api.database;
    let requests = 0;
    const preview = (isFork: boolean, known = true) =>
      acceptedEnvironment({}, async (id) => {
        const [request] = await sql`
          insert into pull_requests (org_id, repository_key, number, title, url, base_branch, head_branch, head_sha, is_fork, files_complete, host_updated_at)
          values (${org}, 'git.example/r', ${++requests}, 't', 'u', 'main', 'f', ${"a".repeat(40)}, ${isFork}, true, now()) returning id`;
        await sql`update deployments set origin_type = 'pull_request', pull_request_id = ${request?.id} where id = ${id}`;
        if (!known) await sql`delete from pull_requests where id = ${request?.id}`;
      });
    const plain = { name: "REGION", value: "here", secret: false };
    expect(await preview(true)).toEqual([plain]);
    expect(await preview(false, false)).toEqual([plain]);
    expect(await preview(false)).toEqual([plain, { name: "TOKEN", value: SECRET, secret: true }]);
  });

  test("contexts of another organization give nothing", async () => {
    const mine = org;
    org = await api.makeOrg();
    const { token } = await api.makeAccount(org, [["*", "*"]]);
    const body = { name: "all", selector: {}, variables: [secret("TOKEN", SECRET)] };
    expect((await call("POST", path(), body, token)).status).toBe(201);
    org = mine;
    expect(await acceptedEnvironment({})).toEqual([]);
  });
});

describe("writing", () => {
  test("a secret shows as a name, stays when its value is left out, and goes when it is left out", async () => {
    const variables = [secret("TOKEN", SECRET), { name: "PLAIN", value: "p" }];
    const made = await call("POST", path(), { name: "one", selector: {}, variables });
    expect(made.body).toMatchObject({ name: "one", selector: {} });
    expect(made.body.variables).toEqual([
      { name: "PLAIN", secret: false, value: "p" },
      { name: "TOKEN", secret: true },
    ]);
    const sealed = async () => {
      const rows = await api.database.sql`select encode(sealed, 'hex') as sealed from context_variables
        where context_id = ${made.body.id} and name = 'TOKEN'`;
      return rows[0]?.sealed;
    };
    const first = await sealed();
    const { variables: shown } = (await call("GET", path(made.body.id))).body;
    const kept = await call("PUT", path(made.body.id), { name: "two", selector: { a: "b" }, variables: shown });
    expect([kept.status, kept.body.name, kept.body.selector]).toEqual([200, "two", { a: "b" }]);
    expect(await sealed()).toBe(first);
    await call("PUT", path(made.body.id), { name: "two", selector: {}, variables: [secret("TOKEN", "another")] });
    expect(await sealed()).not.toBe(first);
    await call("PUT", path(made.body.id), { name: "two", selector: {}, variables: [] });
    expect(await sealed()).toBeUndefined();
    const trail = (await call("GET", `/api/v1/orgs/${org}/audit-log?resource_type=context`)).body.items;
    expect(trail.map((entry: { action: string }) => entry.action).sort()).toEqual([
      "context.create",
      "context.update",
      "context.update",
      "context.update",
    ]);
    expect((await call("DELETE", path(made.body.id))).status).toBe(204);
    expect((await call("GET", path(made.body.id))).status).toBe(404);
  });

  test("a write that changes nothing leaves no entry", async () => {
    const body = { name: "same", selector: { a: "b" }, variables: [{ name: "A", value: "1" }] };
    const made = await call("POST", path(), body);
    const again = await call("PUT", path(made.body.id), body);
    expect(again.body).toEqual(made.body);
    const rows = await api.database.sql`select action from audit_log where org_id = ${org}`;
    expect(rows.map((row) => row.action)).toEqual(["context.create"]);
  });

  test("what is wrong is named and never repeated", async () => {
    const long = SECRET.repeat(2_000);
    const refused: [object[], string][] = [
      [[{ name: "1A", value: SECRET, secret: true }], "variables.0.name"],
      [[{ name: "A", value: long, secret: true }], "variables.0.value"],
      [[{ name: "A", value: { [SECRET]: SECRET }, secret: true }], "variables.0.value"],
      [[{ name: "A", value: `${SECRET}\0`, secret: true }], "variables.0.value"],
      [[{ name: "A", value: SECRET, secret: SECRET }], "variables.0.secret"],
      [[{ name: "A", value: SECRET, sekret: true }], "variables.0.sekret"],
      [[secret("A", SECRET), secret("A", SECRET)], "variables"],
      [[secret("A")], "variables.0.value"],
      [[{ name: "A" }], "variables.0.value"],
    ];
    for (const [variables, field] of refused) {
      const answer = await call("POST", path(), { name: "n", selector: {}, variables });
      expect([answer.status, answer.body.errors?.[0].field]).toEqual([422, field]);
      expect(answer.text).not.toContain(SECRET);
    }
    expect((await call("POST", path(), { name: "n", variables: [] })).body.errors[0].field).toBe("selector");
    // A key that got lost would leave the selector that matches every stack: refused as no label's key, or kept.
    const proto = await call(
      "POST",
      path(),
      JSON.parse('{"name": "n", "selector": {"__proto__": "x"}, "variables": []}'),
    );
    expect([proto.status, proto.body.errors?.[0].field]).toEqual([422, "selector.__proto__"]);
    const kept = await call("POST", path(), { name: "kept", selector: { constructor: "x" }, variables: [] });
    expect([kept.status, kept.body.selector]).toEqual([201, { constructor: "x" }]);
    // A secret does not become readable by calling it plain.
    const made = await call("POST", path(), { name: "n", selector: {}, variables: [secret("A", SECRET)] });
    const plain = { name: "n", selector: {}, variables: [{ name: "A", secret: false }] };
    expect((await call("PUT", path(made.body.id), plain)).status).toBe(422);
    expect((await call("POST", path(), { name: "n", selector: {}, variables: [] })).status).toBe(409);
  });
});

describe("permissions", () => {
  const body = (selector: Record<string, string>) => ({ name: "n", selector, variables: [] });

  test("each action needs its own; another organization's context is missing", async () => {
    const made = (await call("POST", path(), body({}))).body.id;
    const other = org;
    for (const [action, method, at] of [
      ["read", "GET", path()],
      ["read", "GET", path(made)],
      ["create", "POST", path()],
      ["update", "PUT", path(made)],
      ["delete", "DELETE", path(made)],
    ] as const) {
      const rest = (["read", "create", "update", "delete"] as const).filter((each) => each !== action);
      const { token } = await api.makeAccount(
        org,
        rest.map((each) => ["context", each]),
      );
      expect([method, (await call(method, at, method === "GET" ? undefined : body({}), token)).status]).toEqual([
        method,
        403,
      ]);
    }
    org = await api.makeOrg();
    const stranger = (await api.makeAccount(org, [["*", "*"]])).token;
    for (const method of ["GET", "PUT", "DELETE"]) {
      const sent = method === "PUT" ? body({}) : undefined;
      expect((await call(method, path(made), sent, stranger)).status).toBe(404);
      expect((await call(method, path(MISSING), sent, stranger)).status).toBe(404);
      expect((await call(method, path("nonsense"), sent, stranger)).status).toBe(404);
    }
    org = other;
    expect((await call("GET", path(made))).status).toBe(200);
  });

  test("a selector needs (label, update) on each key, an update (context, read) besides", async () => {
    const grants = [
      ["context", "create"],
      ["context", "update"],
      ["label", "update", { pattern: "team%" }],
    ] as const;
    const { token } = await api.makeAccount(org, grants.map((grant) => [...grant]) as never);
    const status = async (method: string, at: string, selector: Record<string, string>, by = token) =>
      (await call(method, at, body(selector), by)).status;
    expect(await status("POST", path(), { team: "a", tier: "prod" })).toBe(403);
    expect(await status("POST", path(), { team: "a", teams: "b" })).toBe(201);
    const { id } = (await call("GET", path())).body.items[0];
    expect(await status("PUT", path(id), { team: "a" })).toBe(403);
    const reader = await api.makeAccount(org, [...grants.map((grant) => [...grant]), ["context", "read"]] as never);
    expect(await status("PUT", path(id), { team: "a" }, reader.token)).toBe(200);
    expect(await status("PUT", path(id), { tier: "a" }, reader.token)).toBe(403);
    expect(await status("PUT", path(id), {}, reader.token)).toBe(200);
  });

  test("a context leaves a key of its selector only by who may update that label: its secrets would reach every stack", async () => {
    const selector = { tier: "prod", team: "a" };
    const variables = [secret("TOKEN", SECRET)];
    const { id } = (await call("POST", path(), { name: "prod", selector, variables })).body;
    const grants = [
      ["context", "update"],
      ["context", "read"],
      ["label", "update", { pattern: "team%" }],
    ] as const;
    const { token } = await api.makeAccount(org, grants.map((grant) => [...grant]) as never);
    const put = async (changed: object) =>
      (await call("PUT", path(id), { name: "prod", selector: changed, variables: [] }, token)).status;
    for (const changed of [{}, { team: "a" }, { team: "b" }]) expect(await put(changed)).toBe(403);
    expect((await call("GET", path(id))).body).toMatchObject({ selector, variables: [{ name: "TOKEN" }] });
    expect((await call("PUT", path(id), { name: "prod", selector: { team: "a" }, variables: [] })).status).toBe(200);
    expect(await put({})).toBe(200);
  });
});
