/**
 * Who may create, cancel and retry what, over HTTP; every denial is the uniform 404
 * (docs/rules/deployments.md#who-could-create-it).
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { carryOutDecision } from "../../src/core/deployments/transitions/decide.ts";
import { carryOutBatch } from "../../src/core/deployments/transitions/decideMany.ts";
import { COMMIT, create, decide, makeStack } from "../support/fixtures.ts";
import { type Grant, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
let orgId: string;
beforeAll(async () => {
  api = await startPeopleApi({
    // Stands where the workflow is: carries the decision out at once.
    sender: {
      decide: async (_deployment, _kind, id) => carryOutDecision(api.service, id),
      decideMany: async (batchId) => carryOutBatch(api.service, batchId),
    },
  });
  orgId = await api.makeOrg();
});
afterAll(() => api.close());

async function stack() {
  const key = await makeStack(api.database, orgId);
  const [row] = await api.database.sql`select slug from stacks where stack_key = ${key}`;
  return { key, path: `/api/v1/orgs/${orgId}/stacks/${row?.slug}/deployments` };
}
const holding = async (...grants: Grant[]) => (await api.makeAccount(orgId, grants)).token;

test("creating needs only what the mode asks for, not (stack, read)", async () => {
  const { path } = await stack();
  const deployer = await holding(["stack", "deploy"]);
  const previewer = await holding(["stack", "preview"]);
  const body = (mode: string) => ({ mode, commit_sha: COMMIT });
  for (const mode of ["plan", "destroy", "refresh"]) {
    expect((await api.call("POST", path, { token: deployer, body: body(mode) })).status).toBe(201);
    expect((await api.call("POST", path, { token: previewer, body: body(mode) })).status).toBe(404);
  }
  expect((await api.call("POST", path, { token: previewer, body: body("plan_unlocked") })).status).toBe(201);
  expect((await api.call("POST", path, { token: deployer, body: body("plan_unlocked") })).status).toBe(404);
  const reader = await holding(["stack", "read"]);
  // What is wrong with a body must not tell a stranger that the stack exists.
  expect((await api.call("POST", path, { token: reader, body: { mode: "nonsense" } })).status).toBe(404);
});

test.each<[string, Grant, "plan" | "raw", number]>([
  ["(stack, deploy) on a plan", ["stack", "deploy"], "plan", 200],
  ["(stack, run_command) on a command", ["stack", "run_command"], "raw", 200],
  ["(stack, run_command) on a plan", ["stack", "run_command"], "plan", 404],
  ["(stack, confirm) on a plan", ["stack", "confirm"], "plan", 200],
  ["(stack, read) on a plan", ["stack", "read"], "plan", 404],
])("cancel by a holder of only %s", async (_name, grant, mode, status) => {
  const { key, path } = await stack();
  const id = await create(api.service, key, { mode });
  const token = await holding(grant);
  const answer = await api.call("POST", `${path}/${id}/cancel`, { token, body: {} });
  expect(answer.status, answer.text).toBe(status);
  if (status === 404) expect(answer.body.code).toBe("not_found");
});

test("a bulk cancel checks each deployment on its own, and says of each what the single route would", async () => {
  const { key, path } = await stack();
  const holder = await create(api.service, key);
  const queued = await create(api.service, key);
  const command = await create(api.service, key, { mode: "raw" });
  const finished = await create(api.service, key);
  await decide(api.service, api.database, finished, "skip");
  const token = await holding(["stack", "deploy"]);
  const ids = [holder, command, queued, finished, "00000000-0000-7000-8000-000000000000"];
  const answer = await api.call("POST", `${path}/cancel`, { token, body: { ids } });
  expect(
    answer.body.results.map((result: { id: string; http_status: number }) => [result.id, result.http_status]),
  ).toEqual([
    [holder, 200],
    [command, 404],
    [queued, 200],
    [finished, 409],
    [ids[4], 404],
  ]);
  const stranger = await holding(["stack", "read"]);
  expect((await api.call("POST", `${path}/cancel`, { token: stranger, body: { ids: [] } })).status).toBe(404);
  expect((await api.call("POST", `${path}/skip`, { token, body: { ids } })).status).toBe(404);
});

test("the queue's entries end before the holder, so that freeing the lane promotes nothing that is about to end", async () => {
  const { key, path } = await stack();
  const ids = [];
  for (let i = 0; i < 4; i++) ids.push(await create(api.service, key));
  const token = await holding(["stack", "confirm"]);
  await api.call("POST", `${path}/cancel`, { token, body: { ids } });
  const promoted = await api.database.sql`
    select count(*)::int as n from domain_events where stack_key = ${key} and name = 'deployment_promoted' and deployment_id <> ${ids[0] as string}`;
  expect(promoted[0]?.n).toBe(0);
});
