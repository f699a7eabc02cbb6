/** What a generated client takes from the published document is true: parameters, bodies, refusals, methods. */
import { createHash } from "node:crypto";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { carryOutDecision } from "../../src/core/deployments/transitions/decide.ts";
import { carryOutBatch } from "../../src/core/deployments/transitions/decideMany.ts";
import { everything, type Ids } from "../support/accessWorld.ts";
import { PREPARED } from "../support/auditedCalls.ts";
import { HEAD } from "../support/cascades.ts";
import { ACTOR, create } from "../support/fixtures.ts";
import { type DocumentedOperation, documentedOperations } from "../support/operations.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { groupToken, makeGroup } from "../support/runnerApi.ts";

const operations = await documentedOperations();

let api: PeopleApi;
beforeAll(async () => {
  api = await startPeopleApi({
    git: { allowProtocol: ["https"], checkHost: async () => {}, headAtHost: async () => HEAD },
    sender: {
      decide: (_deployment, _kind, decisionId) => carryOutDecision(api.service, decisionId, "api"),
      decideMany: (batchId) => carryOutBatch(api.service, batchId),
    },
  });
});
afterAll(() => api.close());

/** What a generator can make a type of, and a fuzzer values. */
function isSaid(schema: Record<string, unknown>): boolean {
  if (schema.type === "integer") return "minimum" in schema && "maximum" in schema;
  if (schema.type === "array") return "enum" in ((schema.items as object | undefined) ?? {});
  return schema.type === "string" && ["enum", "format", "maxLength", "pattern"].some((rule) => rule in schema);
}

describe.each(operations)("$id", ({ method, path, parameters, responses }) => {
  test("each parameter has its type and bounds, an enum or a format", () => {
    expect(parameters.filter(({ schema }) => !isSaid(schema)).map(({ name, schema }) => [name, schema])).toEqual([]);
  });

  test("what any request may be refused with is listed", () => {
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(["400", "431", "500"]));
  });

  test("an address with NUL is such a 400", async () => {
    const { status, body } = await api.call(method, `${path.replace(/\{\w+\}/g, "x")}?x=%00`);
    expect([status, body.code]).toEqual([400, "malformed_request"]);
  });
});

test("whatever may take the last Admin away says that it may be refused", () => {
  const taking = /^(revokeMember|(replace|delete)(Role|GroupRoleBinding)|unassignRole|(delete|disable)ServiceAccount)$/;
  const said = operations.filter(({ id }) => taking.test(id)).map(({ id, responses }) => [id, "409" in responses]);
  expect(said.filter(([, documented]) => !documented)).toEqual([]);
  expect(said).toHaveLength(8);
});

const filled = (path: string, ids: Ids) =>
  path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(ids[key] ?? ""));

const withJson = operations.filter(
  ({ caller, requestBody }) => caller === "person" && requestBody?.content["application/json"] !== undefined,
);

/** On a row of its own, by somebody who may do everything. */
async function answered({ id, method, path }: DocumentedOperation, body?: object) {
  const own = await everything(api);
  const caller = await api.makeUser({ superAdmin: true, orgs: [own.org_id!], grants: [["*", "*"]] });
  const prepared = await Promise.resolve(PREPARED[id]?.(api, own, caller)).catch(() => undefined);
  return api.call(method, filled(path, { ...own, ...prepared?.ids }), { ...caller, ...(body && { body }) });
}

describe.each(withJson)("$id without a body", (operation) => {
  test(operation.requestBody?.required ? "is refused" : "is as with one without fields", async () => {
    const { status, text } = await answered(operation);
    if (operation.requestBody?.required) expect([400, 422], text).toContain(status);
    else expect([status, status < 500], text).toEqual([(await answered(operation, {})).status, true]);
  });
});

test("a PUT without a body replaces nothing", async () => {
  const own = await everything(api);
  const caller = await api.makeUser({ orgs: [own.org_id!], grants: [["*", "*"]] });
  await api.database
    .sql`update invitations set role_ids = array[${own.role_id!}::uuid] where id = ${own.invitation_id!}`;
  const path = `/api/v1/orgs/${own.org_id}/invitations/${own.invitation_id}`;
  expect((await api.call("PUT", path, caller)).status).toBe(400);
  expect((await api.call("GET", path, caller)).body.roles).toHaveLength(1);
  expect((await api.call("PUT", path, { ...caller, body: {} })).status).toBe(200);
  expect((await api.call("GET", path, caller)).body.roles).toEqual([]);
});

/** Every row of the database, but for the session that a test's person gets by calling. */
async function contents(): Promise<string> {
  const { sql } = api.database;
  const tables = await sql`select table_name as name from information_schema.tables where table_schema = 'public'
    and table_type = 'BASE TABLE' and table_name <> 'sessions' order by 1`;
  const hash = createHash("sha256");
  for (const { name } of tables) {
    const [row] =
      await sql`select coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest from ${sql(name)} t`;
    hash.update(`${name}:${row?.digest}`);
  }
  return hash.digest("hex");
}

test("HEAD has no effect on any route, and no run is claimed by it", { timeout: 60_000 }, async () => {
  const own = await everything(api);
  const caller = await api.makeUser({ superAdmin: true, orgs: [own.org_id!], grants: [["*", "*"]] });
  const group = await makeGroup(api.database, own.org_id!);
  await api.database.sql`update organizations set default_runner_group_id = ${group.id} where id = ${own.org_id!}`;
  await api.database.sql`select match_selectors(${own.org_id!}::uuid)`;
  const [stack] = await api.database
    .sql`select stack_key from stacks where org_id = ${own.org_id!} and slug = ${own.dependent_stack_id!}`;
  await create(api.service, stack?.stack_key, { actor: ACTOR });
  const token = await groupToken(group);
  const changed: string[] = [];
  for (const operation of operations.filter(({ method }) => method === "GET")) {
    const by = operation.caller === "person" ? caller : { token };
    const before = await contents();
    const { status } = await api.call("HEAD", filled(operation.path, own), by);
    if ((await contents()) !== before) changed.push(`${operation.id}: ${status}`);
  }
  expect(changed).toEqual([]);
  const poll = await api.call("HEAD", "/api/v1/runner-groups/poll", { token });
  expect([poll.status, poll.headers.get("allow")]).toEqual([405, "GET"]);
  expect((await api.call("GET", "/api/v1/runner-groups/poll", { token })).status).toBe(200);
});

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

test("a method that a path does not have is 405, with those that it has", async () => {
  const byPath = Map.groupBy(operations, ({ path }: DocumentedOperation) => path);
  const wrong: string[] = [];
  for (const [path, known] of byPath) {
    const has = known.map(({ method }) => method).sort();
    for (const method of METHODS.filter((one) => !has.includes(one))) {
      const { status, headers } = await api.call(method, path.replace(/\{\w+\}/g, "x"));
      const allowed = headers.get("allow")?.split(", ") ?? [];
      if (status !== 405 || !has.every((one) => allowed.includes(one)))
        wrong.push(`${method} ${path}: ${status} ${allowed}`);
    }
  }
  expect(wrong).toEqual([]);
  expect((await api.call("GET", "/api/v1/nowhere")).status).toBe(404);
});

test("header fields that are too large are a problem answer like any other", async () => {
  const answer = await new Promise<{ status: number; type: string; text: string }>((resolve, reject) => {
    const asked = request(
      `${api.baseUrl}/api/v1/auth/me`,
      { headers: { "x-large": "x".repeat(40_000) } },
      (response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, type: response.headers["content-type"] ?? "", text }),
        );
      },
    );
    asked.on("error", reject);
    asked.end();
  });
  expect([answer.status, answer.type, JSON.parse(answer.text).code]).toEqual([
    431,
    "application/problem+json",
    "headers_too_large",
  ]);
});
