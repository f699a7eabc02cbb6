/**
 * The two bulk routes over HTTP: who gets which answer, and what a request costs
 * (docs/rules/deployments.md#bulk-decisions).
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { carryOutDecision } from "../../src/core/deployments/transitions/decide.ts";
import { carryOutBatch } from "../../src/core/deployments/transitions/decideMany.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { type MixedStack, mixedStack } from "../support/bulk.ts";
import { create, makeOrg, makeStack, type TestOrg } from "../support/fixtures.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
let org: TestOrg;
let reachable = true;
beforeAll(async () => {
  const whenReachable = <T>(answer: () => Promise<T>) => {
    if (!reachable) throw new Error("Temporal is away");
    return answer();
  };
  api = await startPeopleApi({
    sender: {
      decide: async (_deployment, _kind, id) => whenReachable(() => carryOutDecision(api.service, id)),
      decideMany: async (batchId) => whenReachable(() => carryOutBatch(api.service, batchId)),
    },
  });
  org = await makeOrg(api.database);
});
afterAll(() => api.close());

type Result = { id: string; http_status: number; code?: string; detail?: string; deployment_status?: string };

const pathOf = (slug: string) => `/api/v1/orgs/${org.orgId}/stacks/${slug}/deployments`;
const slugOf = async (stackKey: string): Promise<string> =>
  (await api.database.sql`select slug from stacks where stack_key = ${stackKey}`)[0]?.slug;

async function bulk(slug: string, kind: "skip" | "cancel", ids: readonly string[], token: string): Promise<Result[]> {
  const answer = await api.call("POST", `${pathOf(slug)}/${kind}`, { token, body: { ids } });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.results;
}

async function single(slug: string, kind: "skip" | "cancel", id: string, token: string): Promise<Result> {
  const { status, body } = await api.call("POST", `${pathOf(slug)}/${id}/${kind}`, { token, body: {} });
  if (status === 200) return { id, http_status: status, deployment_status: body.status };
  return { id, http_status: status, code: body.code, detail: body.detail };
}

const confirmer = async () => (await api.makeAccount(org.orgId, [["stack", "confirm"]])).token;
const foreign = async () => create(api.service, await makeStack(api.database, org.orgId));
const everyone = async ({ ids }: MixedStack) => [...Object.values(ids), await foreign(), randomUUID()];

test.each(["skip", "cancel"] as const)("each id gets what the single route answers: %s", async (kind) => {
  const token = await confirmer();
  const many = await mixedStack(api.database, api.service, org, "planning");
  const alone = await mixedStack(api.database, api.service, org, "planning");
  const asked = await everyone(many);
  const results = await bulk(many.slug, kind, asked, token);
  expect(results.map(({ id }) => id)).toEqual(asked);
  const expected: Result[] = [];
  for (const id of await everyone(alone)) expected.push(await single(alone.slug, kind, id, token));
  expect(results.map(({ id: _, ...rest }) => rest)).toEqual(expected.map(({ id: _, ...rest }) => rest));
  expect(new Set(results.map((result) => result.http_status))).toEqual(new Set([200, 404, 409]));
});

test("while nobody can be asked, each id is answered as the single route answers", async () => {
  const token = await confirmer();
  const { slug, ids } = await mixedStack(api.database, api.service, org, "waiting");
  const asked = [...Object.values(ids), await foreign(), randomUUID()];
  reachable = false;
  try {
    const results = await bulk(slug, "cancel", asked, token);
    for (const [i, id] of asked.entries()) expect(results[i]).toEqual(await single(slug, "cancel", id, token));
    expect(new Set(results.map((result) => result.http_status))).toEqual(new Set([200, 404, 409, 503]));
  } finally {
    reachable = true;
  }
});

test("an id may come twice and in capitals, and is decided about once", async () => {
  const { slug, ids } = await mixedStack(api.database, api.service, org, "waiting");
  const queued = ids.queued as string;
  const asked = [queued, queued.toUpperCase(), queued];
  const results = await bulk(slug, "skip", asked, await confirmer());
  expect(results).toEqual(asked.map((id) => ({ id, http_status: 200, deployment_status: "skipped" })));
  const rows = await api.database.sql`select 1 from decisions where deployment_id = ${queued} and kind = 'skip'`;
  expect(rows).toHaveLength(1);
});

test("what the caller may not see or decide about looks like what is not there, and is not recorded", async () => {
  const { slug, ids } = await mixedStack(api.database, api.service, org, "waiting");
  const { token } = await api.makeAccount(org.orgId, [["stack", "run_command"]]);
  const asked = [ids.queued as string, ids.awake as string, await foreign(), randomUUID()];
  const [plan, command, other, unknown] = await bulk(slug, "cancel", asked, token);
  expect(command).toEqual({ id: ids.awake, http_status: 200, deployment_status: "cancelled" });
  const { id: _, ...refusal } = unknown as Result;
  expect(refusal).toEqual({ http_status: 404, code: "not_found", detail: expect.any(String) });
  for (const result of [plan, other]) expect(result).toMatchObject(refusal);
  const rows = await api.database.sql`select deployment_id from decisions where deployment_id = any(${asked}::uuid[])`;
  expect(rows.map((row) => row.deployment_id)).toEqual([ids.awake]);
});

test("a request costs the same statements for one id and for a hundred", async () => {
  const token = await confirmer();
  const costs: Record<string, Set<number>> = { cancel: new Set(), skip: new Set(), denied: new Set() };
  const cost = async (path: string, ids: readonly string[]) => {
    const init = {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ ids }),
    };
    const { result, statements } = await countStatements(async () => api.app.request(path, init));
    expect(result.status).toBe(200);
    return statements.length;
  };
  for (const size of [1, 100]) {
    for (const kind of ["cancel", "skip"] as const) {
      const stackKey = await makeStack(api.database, org.orgId);
      await create(api.service, stackKey);
      const ids: string[] = [];
      for (let i = 0; i < size; i++) ids.push(await create(api.service, stackKey));
      const path = `${pathOf(await slugOf(stackKey))}/${kind}`;
      costs[kind]?.add(await cost(path, ids));
      costs.denied?.add(
        await cost(
          path,
          ids.map(() => randomUUID()),
        ),
      );
    }
  }
  const [cancel, skip, denied] = [costs.cancel, costs.skip, costs.denied].map((seen) => [...(seen ?? [])]);
  expect([cancel, skip, denied].map((seen) => seen?.length)).toEqual([1, 1, 1]);
  expect(cancel).toEqual(skip);
  expect(cancel?.[0]).toBeLessThanOrEqual(12);
  expect(denied?.[0]).toBeLessThanOrEqual(3);
});
