/**
 * `POST /api/operator/v1/orgs/{org}/rebuild-metadata`: three tasks at once, for super-admins only
 * (docs/rules/graph.md#rebuilding).
 */
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Caller } from "../support/peopleApi.ts";
import { peopleTest } from "../support/test.ts";

const test = peopleTest().extend("world", ({ api }) => {
  const rebuild = (orgId: string, by: Caller) =>
    api.call("POST", `/api/operator/v1/orgs/${orgId}/rebuild-metadata`, by);
  const tasks = (orgId: string) =>
    api.database
      .sql`select kind, status, stack_key, requested::int from org_tasks where org_id = ${orgId} order by kind`;

  return { rebuild, tasks };
});

test("a super-admin enqueues the three rebuilds, each once however often they ask, and the audit trail says who did", async ({
  api,
  world,
}) => {
  const orgId = await api.makeOrg();
  const operator = await api.makeUser({ superAdmin: true });
  for (let times = 1; times <= 2; times++) {
    const answer = await world.rebuild(orgId, operator);
    expect([answer.status, answer.body]).toEqual([202, { status: "enqueued" }]);
    expect(await world.tasks(orgId)).toEqual(
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

test("nobody else may, not even who may do everything in the organization; an unknown one is not found", async ({
  api,
  world,
}) => {
  const orgId = await api.makeOrg();
  const admin = await api.makeUser({ orgs: [orgId], grants: [["*", "*"]] });
  const account = await api.makeAccount(orgId, [["*", "*"]]);
  expect((await world.rebuild(orgId, {})).status).toBe(401);
  expect((await world.rebuild(orgId, admin)).body.code).toBe("forbidden");
  expect((await world.rebuild(orgId, { token: account.token })).body.code).toBe("session_required");
  const operator = await api.makeUser({ superAdmin: true });
  for (const id of [randomUUID(), "x"]) expect((await world.rebuild(id, operator)).status).toBe(404);
  expect(await world.tasks(orgId)).toEqual([]);
});
