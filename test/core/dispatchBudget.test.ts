/**
 * `GET dispatch-budget`: what the organization has left, as the claim itself counts it
 * (docs/rules/dispatch.md#the-budget-of-runs-per-hour).
 */
import { expect } from "vitest";
import { startPeopleApi } from "../support/peopleApi.ts";
import { peopleTest } from "../support/test.ts";

const test = peopleTest().extend("orgId", { scope: "file" }, ({ api }) => api.makeOrg());

test.beforeAll(async ({ api, orgId }) => {
  await api.database.sql`update organizations set runs_per_hour_limit = 1 where id = ${orgId}`;
});

test("is full at first, counts what was taken, and says when the next slot is", async ({ api, orgId }) => {
  const { token } = await api.makeAccount(orgId, [["org", "read"]]);
  const read = async () => (await api.call("GET", `/api/v1/orgs/${orgId}/dispatch-budget`, { token })).body;
  expect(await read()).toEqual({ throttled: false, runs_per_hour_limit: 1, available: 24, next_slot_seconds: 0 });
  await api.database.sql`update dispatch_orgs set tokens = 0, refilled_at = svc_now() where org_id = ${orgId}`;
  const empty = await read();
  expect(empty).toMatchObject({ throttled: true, available: 0 });
  expect(empty.next_slot_seconds).toBeGreaterThan(3_500);
  expect(empty.next_slot_seconds).toBeLessThanOrEqual(3_600);
  await api.database
    .sql`update dispatch_orgs set refilled_at = refilled_at - interval '1 hour' where org_id = ${orgId}`;
  expect(await read()).toMatchObject({ throttled: false, available: 1, next_slot_seconds: 0 });
});

test("throttles nobody when the limiter is switched off", async () => {
  const off = await startPeopleApi({ env: { SVC_DISPATCH_RATE_LIMIT: "off" } });
  try {
    const org = await off.makeOrg();
    await off.database.sql`update dispatch_orgs set tokens = 0, refilled_at = svc_now() where org_id = ${org}`;
    const { token } = await off.makeAccount(org, [["org", "read"]]);
    const { body } = await off.call("GET", `/api/v1/orgs/${org}/dispatch-budget`, { token });
    expect(body).toMatchObject({ throttled: false, available: 0, next_slot_seconds: 0 });
  } finally {
    await off.close();
  }
});

test("needs (org, read): 403 without, 401 without a credential", async ({ api, orgId }) => {
  const { token } = await api.makeAccount(orgId, [["stack", "read"]]);
  const path = `/api/v1/orgs/${orgId}/dispatch-budget`;
  expect((await api.call("GET", path, { token })).status).toBe(403);
  expect((await api.call("GET", path)).status).toBe(401);
});
