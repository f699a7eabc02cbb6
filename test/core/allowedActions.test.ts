/**
 * What an answer offers its reader is what the routes accept: each offered action is accepted and each other refused,
 * or without effect, over the permissions and the states (docs/rules/deployments.md#what-an-answer-offers).
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertGroup } from "../../bench/harness/rows.ts";
import { CREATE_ACTIONS } from "../../src/core/deployments/authorizeDeployment.ts";
import { DEPLOYMENT_ACTIONS, type DeploymentAction } from "../../src/core/deployments/possible.ts";
import { carryOutDecision } from "../../src/core/deployments/transitions/decide.ts";
import { claim, create, decide, makeStack, type TestOrg } from "../support/fixtures.ts";
import { type Grant, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
let org: Pick<TestOrg, "orgId" | "groupId">;
beforeAll(async () => {
  api = await startPeopleApi({
    sender: { decide: async (_d, _k, id) => carryOutDecision(api.service, id), decideMany: async () => undefined },
  });
  const orgId = await api.makeOrg();
  await api.database.sql`update organizations set runs_per_hour_limit = 1000000 where id = ${orgId}`;
  org = { orgId, groupId: (await insertGroup(api.database.sql, orgId)).groupId };
});
afterAll(() => api.close());

type Made = { id: string; path: string; stackPath: string };

async function made(
  mode: "plan" | "plan_unlocked" | "raw",
  steps: (id: string, stackKey: string) => Promise<unknown>,
): Promise<Made> {
  const stackKey = await makeStack(api.database, org.orgId, { authz_groups: ["web"] });
  const [stack] = await api.database.sql`select slug from stacks where stack_key = ${stackKey}`;
  const id = await create(api.service, stackKey, { mode });
  await steps(id, stackKey);
  // A retry right after it would count as a slip of the finger.
  await api.database
    .sql`update deployments set created_at = created_at - interval '1 minute' where stack_key = ${stackKey}`;
  const stackPath = `/api/v1/orgs/${org.orgId}/stacks/${stack?.slug}`;
  return { id, stackPath, path: `${stackPath}/deployments/${id}` };
}

/** By hand, since only what becomes of it matters here. */
async function run(id: string, ...statuses: string[]): Promise<void> {
  await claim(api.database, org, id);
  for (const status of statuses) {
    const ended = ["success", "failure"].includes(status);
    await api.database
      .sql`update runs set status = ${status}, assigned_expires_at = null, started_at = coalesce(started_at, svc_now()),
      completed_at = case when ${ended} then svc_now() end,
      cancel_requested_at = case when ${status === "requested_cancellation"} then svc_now() end where deployment_id = ${id}`;
  }
}
async function deployment(id: string, ...statuses: string[]): Promise<void> {
  for (const status of statuses) {
    await api.database.sql`update deployments set status = ${status},
      waiting_since = case when ${status === "waiting"} then svc_now() end,
      cancel_requested_at = case when ${status === "requested_cancellation"} then svc_now() end,
      completed_at = case when ${["finished", "failed"].includes(status)} then svc_now() end where id = ${id}`;
  }
}

const STATES: Record<string, () => Promise<Made>> = {
  pending: () => made("plan", async () => {}),
  prioritized: () => made("plan", (id) => decide(api.service, api.database, id, "prioritize")),
  "a command": () => made("raw", async () => {}),
  "a preview": () => made("plan_unlocked", async () => {}),
  planning: () =>
    made("plan", async (id) => {
      await run(id, "running");
      await deployment(id, "planning");
    }),
  waiting: () =>
    made("plan", async (id) => {
      await run(id, "running", "success");
      await deployment(id, "planning", "waiting");
    }),
  "being cancelled": () =>
    made("plan", async (id) => {
      await run(id, "running", "requested_cancellation");
      await deployment(id, "planning", "requested_cancellation");
    }),
  failed: () =>
    made("plan", async (id) => {
      await run(id, "running", "failure");
      await deployment(id, "planning", "failed");
    }),
};

const CALLS: Record<DeploymentAction, [word: string, body?: object]> = {
  review: ["reviews", { verdict: "approve" }],
  break_glass: ["confirm", { action: "apply", break_glass: "an outage" }],
  confirm: ["confirm", { action: "apply" }],
  confirm_preview: ["confirm-preview", {}],
  skip: ["skip", {}],
  cancel: ["cancel", {}],
  force_cancel: ["cancel", { force: true }],
  prioritize: ["prioritize", {}],
  deprioritize: ["deprioritize", {}],
  retry: ["retry"],
};

const GRANTS: Record<string, Grant[]> = {
  ...Object.fromEntries(
    ["confirm", "review", "prioritize", "update", ...CREATE_ACTIONS].map((action) => [
      action,
      [["stack", action] as Grant],
    ]),
  ),
  "everything by a pattern": [["*", "*", { pattern: "%" }]],
  "confirm by a group": [["stack", "confirm", { group: "web" }]],
  "everything on other stacks": [
    ["stack", "*", { pattern: "other-%" }],
    ["stack", "confirm", { group: "db" }],
  ],
};

const events = async (id: string) =>
  (await api.database.sql`select count(*)::int as n from deployment_events where deployment_id = ${id}`)[0]?.n;

describe.each(Object.keys(GRANTS))("with %s", (name) => {
  test.each(Object.keys(STATES))("%s", { timeout: 60_000 }, async (state) => {
    const token = (await api.makeAccount(org.orgId, [["stack", "read"], ...GRANTS[name]!])).token;
    const offered = (await api.call("GET", (await STATES[state]!()).path, { token })).body.allowed_actions;
    const accepted: string[] = [];
    for (const action of DEPLOYMENT_ACTIONS) {
      const { id, path } = await STATES[state]!();
      const before = await events(id);
      const [word, asked] = CALLS[action];
      const [plan] = await api.database.sql`select id from runs where deployment_id = ${id} and status = 'success'`;
      const body = action === "review" && plan ? { ...asked, plan_run_id: plan.id } : asked;
      const { status } = await api.call("POST", `${path}/${word}`, { token, ...(body && { body }) });
      if (status === 201 || (status === 200 && (await events(id)) > before)) accepted.push(action);
      else expect([200, 404, 409], `${action}: ${status}`).toContain(status);
    }
    expect(offered).toEqual(accepted);
  });
});

test("a stack offers what its own routes accept, and hold or release", async () => {
  const { stackPath } = await STATES.failed!();
  const offers = async (...grants: Grant[]) => {
    const { token } = await api.makeAccount(org.orgId, [["stack", "read"], ...grants]);
    return (await api.call("GET", stackPath, { token })).body.allowed_actions;
  };
  expect(await offers()).toEqual([]);
  expect(await offers(["stack", "deploy"])).toEqual(["plan", "destroy", "refresh"]);
  expect(await offers(["stack", "confirm"])).toEqual(["hold"]);
  expect(await offers(["stack", "*", { group: "web" }])).toEqual([
    ...["plan", "destroy", "refresh", "plan_unlocked", "raw", "local", "update", "hold", "delete"],
  ]);
  const { user } = await api.makeUser({ orgs: [org.orgId], grants: [["stack", "*"]] });
  await api.database.sql`update users set display_name = 'Ada' where id = ${user}`;
  const held = await api.call("POST", `${stackPath}/hold`, { user, body: { reason: "r" } });
  expect(held.body).toMatchObject({ held_by: user, held_by_actor: { id: user, kind: "user", name: "Ada" } });
  expect(held.body.allowed_actions).toEqual(expect.arrayContaining(["release"]));
  expect(await offers(["stack", "confirm"])).toEqual(["release"]);
  const { token } = await api.makeAccount(org.orgId, [["stack", "read"]]);
  const { body } = await api.call("GET", `/api/v1/orgs/${org.orgId}/stacks?sort=created_at&order=desc&limit=1`, {
    token,
  });
  expect(body.items[0].held_by_actor.name).toBe("Ada");
  expect((await api.call("GET", `${stackPath}/queue`, { token })).body.held_by_actor.name).toBe("Ada");
});

test("who did something is named beside the id, also once the account is gone", async () => {
  const { id: account, token } = await api.makeAccount(org.orgId, [["*", "*"]]);
  const { path } = await STATES.pending!();
  await api.call("POST", `${path}/prioritize`, { token, body: {} });
  const [row] = await api.database.sql`select name from service_accounts where id = ${account}`;
  const actor = { id: account, kind: "service_account", name: row?.name };
  expect((await api.call("GET", path, { token })).body).toMatchObject({
    prioritized_by: account,
    prioritized_by_actor: actor,
  });
  const log = (await api.call("GET", `${path}/events`, { token })).body.items;
  expect(log.at(-1)).toMatchObject({ kind: "prioritized", actor_id: account, actor });
  const { user } = await api.makeUser({ orgs: [org.orgId], grants: [["*", "*"]] });
  await api.database.sql`delete from role_assignments where service_account_id = ${account}`;
  await api.database.sql`delete from service_accounts where id = ${account}`;
  expect((await api.call("GET", path, { user })).body.prioritized_by_actor).toEqual({ ...actor, name: null });
});

test("every permission is listed, with what a grant on it may single out", async () => {
  const { token } = await api.makeAccount(org.orgId, [["org", "read"]]);
  const { body } = await api.call("GET", `/api/v1/orgs/${org.orgId}/permissions`, { token });
  expect(body.items).toHaveLength(17);
  expect(body.items.find(({ type }: { type: string }) => type === "stack")).toMatchObject({
    actions: expect.arrayContaining(["read", "confirm"]),
    takes_pattern: true,
    takes_group: true,
  });
  expect(body.items[0]).toMatchObject({ type: "org", takes_pattern: false, takes_group: false });
});

test("permissions name what the caller holds, patterns as people write them", async () => {
  const path = `/api/v1/orgs/${org.orgId}/permissions`;
  const { token } = await api.makeAccount(org.orgId, [
    ["org", "read"],
    ["stack", "deploy", { pattern: "net%" }],
    ["stack", "confirm", { group: "payments" }],
  ]);
  const grant = (resource_type: string, action: string, target = {}) => ({
    ...{ resource_type, action, resource_pattern: null, authz_group: null },
    ...target,
  });
  expect((await api.call("GET", path, { token })).body.grants).toEqual([
    grant("org", "read"),
    grant("stack", "confirm", { authz_group: "payments" }),
    grant("stack", "deploy", { resource_pattern: "net*" }),
  ]);
  const { user } = await api.makeUser({ superAdmin: true });
  expect((await api.call("GET", path, { user })).body.grants).toEqual([grant("*", "*")]);
});
