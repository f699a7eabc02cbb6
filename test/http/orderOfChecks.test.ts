/**
 * Every route looks at who calls first, then whether what is named is there, then whether it can be done, and asks
 * those outside last (docs/rules/api.md#the-order-of-checks).
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ProblemError } from "../../src/platform/problems/problem.ts";
import { ACCESS } from "../support/accessTable.ts";
import { everything, type Ids, makeWorld, type World } from "../support/accessWorld.ts";
import { PREPARED } from "../support/auditedCalls.ts";
import { documentedOperations } from "../support/operations.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { makeGroup, sign } from "../support/runnerApi.ts";

class OutsideAwayError extends ProblemError {
  constructor() {
    super({ status: 503, code: "credentials_unavailable", detail: "nobody outside answers in this test" });
  }
}

/**
 * Whom the service asks on a caller's behalf; in this test nobody answers, and it is counted how often one was asked.
 */
let asked = 0;
const outside = async () => {
  asked += 1;
  throw new OutsideAwayError();
};

let api: PeopleApi;
let world: World;
beforeAll(async () => {
  api = await startPeopleApi({
    git: { allowProtocol: ["https"], checkHost: async () => {}, headAtHost: outside },
    pullRequests: { host: { standing: outside }, inbox: outside },
    preflight: outside,
    scm: { checkHost: outside },
  });
  world = await makeWorld(api);
});
afterAll(() => api.close());

const operations = await documentedOperations();
const guarded = operations.filter(({ caller }) => caller !== null);

/** Every part of the path, the query and the body makes no sense. */
function nonsense(path: string): string {
  return `${path.replace(/\{\w+\}/g, "~nonsense~")}?wait_seconds=99&limit=nine&cursor=%21&sort=%3F&no_such_parameter=1`;
}

async function badTokens(): Promise<Record<string, string>> {
  const group = await makeGroup(api.database, await api.makeOrg());
  const other = await makeGroup(api.database, await api.makeOrg());
  const times = { iat: 1, exp: 2 };
  const runner = { token_type: "runner", run_id: randomUUID(), runner_id: randomUUID() };
  return {
    none: "",
    nonsense: "Bearer nonsense",
    "an unknown token": `Bearer svc_sa_${"a".repeat(43)}`,
    "an expired group token": `Bearer ${await sign(group, { token_type: "runner_group", ...times })}`,
    "an expired runner token": `Bearer ${await sign(group, { ...runner, ...times })}`,
    "a token of another key": `Bearer ${await sign({ id: group.id, privateKeyPem: other.privateKeyPem }, runner)}`,
  };
}

test("whoever is not known learns nothing of path, query or body", { timeout: 60_000 }, async () => {
  const wrong: string[] = [];
  for (const [what, authorization] of Object.entries(await badTokens())) {
    for (const { method, path, requestBody } of guarded) {
      const [type = "application/json"] = Object.keys(requestBody?.content ?? {});
      const body = requestBody === undefined ? {} : { body: "{nonsense" };
      const headers = {
        ...(authorization && { authorization }),
        ...(requestBody && { "content-type": `${type}-nonsense` }),
      };
      const { status } = await api.call(method, nonsense(path), { ...body, headers });
      if (status !== 401) wrong.push(`${method} ${path} with ${what}: ${status}`);
    }
  }
  expect(wrong).toEqual([]);
});

const forPeople = operations.filter(({ caller }) => caller === "person");
const keyOf = (method: string, path: string) => `${method} ${path.replace(/\{(\w+)\}/g, ":$1")}`;

/** As the caller who may do everything in the organization. */
async function call(id: string, method: string, path: string, ids: Ids, by: { user: string }) {
  const prepared = await Promise.resolve(PREPARED[id]?.(api, world.own, by)).catch(() => undefined);
  const body = prepared?.body ?? ACCESS[keyOf(method, path)]?.body?.(world, 1);
  const filled = path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(ids[key] ?? ""));
  asked = 0;
  const { status, text } = await api.call(method, filled + (prepared?.query ?? ""), {
    ...by,
    ...(body === undefined ? {} : { body }),
    ...(prepared?.headers && { headers: prepared.headers }),
  });
  return { status, text, asked };
}

describe("what is not there is told before anybody outside is asked", () => {
  test.each(forPeople.filter(({ path }) => path.includes("{")))("$id", async ({ id, method, path }) => {
    const caller = await api.makeUser({ orgs: [world.own.org_id!], grants: [["*", "*"]] });
    const inner = path.replaceAll("{org_id}", "");
    const kinds = [
      { ...world.missing },
      ...(inner.includes("{") ? [{ ...world.missing, org_id: world.own.org_id! }] : []),
    ];
    for (const ids of kinds) {
      const answer = await call(id, method, path, ids, caller);
      expect([answer.asked, answer.status < 500], answer.text).toEqual([0, true]);
    }
  });
});

/** Of each route that asks somebody outside: a state in which it is refused, which is told without asking. */
const CONFLICTS: Record<string, { status: number; ids?: (own: Ids) => Promise<Ids>; body?: (own: Ids) => unknown }> = {
  retryDeployment: { status: 409 },
  promotePullRequest: { status: 404 },
  createLocalPlan: {
    status: 422,
    body: () => ({ local_source_key: randomUUID(), local_source_sha256: "0".repeat(64) }),
  },
  deployDependent: { status: 409 },
  createScmIntegration: {
    status: 409,
    body: () => ({ name: "h", url_pattern: "^x", api_base_url: "https://host.example/api" }),
  },
};

/** Nothing that is there could refuse these: a deployment queues behind any other, a refresh joins the inbox. */
const NEVER_REFUSED = ["createDeployment", "runCommand", "refreshPullRequests", "replaceScmIntegration"];

test("the routes that ask somebody outside are those of the table", { timeout: 120_000 }, async () => {
  const found: string[] = [];
  for (const { id, method, path } of forPeople.filter(({ method }) => method !== "GET")) {
    const own = await everything(api);
    const caller = await api.makeUser({ superAdmin: true, orgs: [own.org_id!], grants: [["*", "*"]] });
    const prepared = await PREPARED[id]?.(api, own, caller);
    const ids = { ...own, ...prepared?.ids };
    const given = prepared?.body ?? ACCESS[keyOf(method, path)]?.body?.({ own, other: own, missing: own }, 1);
    const body =
      id.endsWith("ScmIntegration") && given
        ? { ...(given as object), api_base_url: "https://host.example/api" }
        : given;
    const filled = path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(ids[key] ?? ""));
    asked = 0;
    await api.call(method, filled + (prepared?.query ?? ""), {
      ...caller,
      ...(body === undefined ? {} : { body }),
      ...(prepared?.headers && { headers: prepared.headers }),
    });
    if (asked > 0) found.push(id);
  }
  const known = [...Object.keys(CONFLICTS), ...NEVER_REFUSED];
  expect(found.filter((id) => !known.includes(id))).toEqual([]);
});

describe("what the state refuses is told before anybody outside is asked", () => {
  test.each(Object.entries(CONFLICTS))("%s", async (id, { status, body }) => {
    const operation = operations.find((one) => one.id === id)!;
    const own = await everything(api);
    const caller = await api.makeUser({ orgs: [own.org_id!], grants: [["*", "*"]] });
    const filled = operation.path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(own[key] ?? ""));
    asked = 0;
    const answer = await api.call(operation.method, filled, { ...caller, ...(body && { body: body(own) }) });
    expect([answer.status, asked], answer.text).toEqual([status, 0]);
  });
});
