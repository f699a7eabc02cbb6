/**
 * `POST /api/operator/v1/orgs/{org}/rebuild-metadata`: three tasks at once, for super-admins only
 * (docs/rules/graph.md#rebuilding).
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Caller, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
beforeAll(async () => {
  api = await startPeopleApi();
});
afterAll(() => api.close());

const rebuild = (orgId: string, by: Caller) => api.call("POST", `/api/operator/v1/orgs/${orgId}/rebuild-metadata`, by);
const tasks = (orgId: string) =>
  api.database.sql`select kind, status, stack_key, requested::int from org_tasks where org_id = ${orgId} order by kind`;

test("a super-admin enqueues the three rebuilds, each once however often they ask, and the audit trail says who did", async () => {
  const orgId = await api.makeOrg();
  const operator = await api.makeUser({ superAdmin: true });
  for (let times = 1; times <= 2; times++) {
    const answer = await rebuild(orgId, operator);
    expect([answer.status, answer.body]).toEqual([202, { status: "enqueued" }]);
    expect(await tasks(orgId)).toEqual(
      ["dependency_graph_rebuild", "org_findings_rebuild", "resource_index_rebuild"].map((kind) => ({
        kind,
        status: "pending",
        stack_key: null,
        requested: times,
      })),
    );
  }
  const messages = await api.database.sql`select message from outbox where message->>'orgId' = ${orgId}`;
  expect(new Set(messages.map(({ message }) => message.task)).size).toBe(3);
  const audit = await api.database.sql`
    select actor_id, action from audit_log where org_id = ${orgId} and action = 'organization.rebuild_metadata'`;
  expect(audit).toHaveLength(2);
  expect(audit[0]).toMatchObject({ actor_id: operator.user });
});

test("nobody else may, not even who may do everything in the organization; an unknown one is not found", async () => {
  const orgId = await api.makeOrg();
  const admin = await api.makeUser({ orgs: [orgId], grants: [["*", "*"]] });
  const account = await api.makeAccount(orgId, [["*", "*"]]);
  expect((await rebuild(orgId, {})).status).toBe(401);
  expect((await rebuild(orgId, admin)).body.code).toBe("forbidden");
  expect((await rebuild(orgId, { token: account.token })).body.code).toBe("session_required");
  const operator = await api.makeUser({ superAdmin: true });
  for (const id of [randomUUID(), "x"]) expect((await rebuild(id, operator)).status).toBe(404);
  expect(await tasks(orgId)).toEqual([]);
});
