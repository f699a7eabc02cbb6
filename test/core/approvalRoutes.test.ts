/** Rules and reviews as people write and read them (docs/approvals.md). */
import { describe, expect } from "vitest";
import { readApprovals } from "../../src/core/approvals/deploymentApprovals.ts";
import type { DecisionSender } from "../../src/core/deployments/submitDecision.ts";
import { carryOutDecision } from "../../src/core/deployments/transitions/decide.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import type { Service } from "../../src/work/service.ts";
import { approvalWorld } from "../support/approvalsTest.ts";
import { makeOrg, makeStack, testService } from "../support/fixtures.ts";
import type { Grant } from "../support/peopleApi.ts";
import { peopleTest } from "../support/test.ts";

/** Decisions are carried out at once, as a workflow would. */
let service: Service | undefined;
const sender: DecisionSender = {
  decide: async (_id, _kind, decisionId) => carryOutDecision(service as Service, decisionId, "deployment"),
};
const test = peopleTest({ sender: sender as never }).extend("world", async ({ api }) => {
  const { database } = api;
  const own = testService(database);
  service = own;
  const org = await makeOrg(database);
  const people = approvalWorld(database, own, org);
  const base = `/api/v1/orgs/${org.orgId}`;
  const user = async (...grants: Grant[]) =>
    (await api.makeUser({ orgs: [org.orgId], grants: [["stack", "read"], ...grants] })).user;
  const admin = await user(["*", "*"]);
  const call = (method: string, path: string, body?: unknown, by = admin) =>
    api.call(method, base + path, { user: by, ...(body !== undefined && { body }) });
  async function waiting(labels: Record<string, string> = {}) {
    const stackKey = await makeStack(database, org.orgId, { labels: database.sql.json(labels) });
    const [stack] = await database.sql`select slug from stacks where stack_key = ${stackKey}`;
    const { id, plan } = await people.planned(stackKey);
    return { id, plan, stack: stack?.slug as string, path: `/stacks/${stack?.slug}/deployments/${id}` };
  }
  return { ...people, database, service: own, user, admin, call, waiting };
});

const RULE = { name: "production", selector: { env: "prod" }, count: 1, approvers: {} };

describe("a rule", () => {
  test("is made, read, replaced and deleted, each with its entry in the trail", async ({ world }) => {
    const made = await world.call("POST", "/approval-rules", { ...RULE, deadline: "P2D", remind_every: "PT4H" });
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({
        ...{ name: "production", selector: { env: "prod" }, modes: ["plan", "destroy", "refresh"], previews: false },
        ...{ destructive: false, count: 1, deadline: "P2D", remind_every: "PT4H" },
        approvers: { roles: [], groups: [], service_accounts: [] },
      }),
    ]);
    const path = `/approval-rules/${made.body.id}`;
    expect((await world.call("POST", "/approval-rules", RULE)).status).toBe(409);
    expect((await world.call("GET", "/approval-rules")).body.items).toEqual([made.body]);
    const replaced = await world.call("PUT", path, { ...RULE, count: 2, modes: ["destroy"] });
    expect(replaced.body).toMatchObject({ count: 2, modes: ["destroy"], deadline: null });
    expect((await world.call("PUT", path, { ...RULE, count: 2, modes: ["destroy"] })).status).toBe(200);
    expect((await world.call("DELETE", path)).status).toBe(204);
    expect((await world.call("GET", path)).status).toBe(404);
    const trail =
      await world.sql`select action, details from audit_log where org_id = ${world.orgId} and resource_type = 'approval_rule' order by id`;
    expect(trail.map(({ action }) => action)).toEqual([
      "approval_rule.create",
      "approval_rule.update",
      "approval_rule.delete",
    ]);
    expect(trail[1]?.details.after).toMatchObject({ count: 2 });
  });

  test.for([
    [{ ...RULE, count: 0 }, "count"],
    [{ ...RULE, count: 11 }, "count"],
    [{ ...RULE, modes: [] }, "a mode or previews"],
    [{ ...RULE, modes: ["raw"] }, "modes"],
    [{ ...RULE, deadline: "PT1S" }, "PT1M"],
    [{ ...RULE, approvers: { roles: ["0190a3c2-0000-7000-8000-000000000001"] } }, "not of this organization"],
    [{ ...RULE, approvers: { people: [] } }, "people"],
    [{ name: "a", count: 1, approvers: {} }, "selector"],
  ] as const)("is refused as %j", async ([body, why], { world }) => {
    const answer = await world.call("POST", "/approval-rules", body);
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(why)]);
  });

  test("is one of a hundred at most", async ({ world }) => {
    await world.sql`insert into approval_rules (org_id, name, selector, modes, previews, destructive, count, approvers)
      select ${world.orgId}, 'rule ' || n, '{}', '{plan}', false, false, 1, '{}' from generate_series(1, 100) n`;
    const more = await world.call("POST", "/approval-rules", RULE);
    expect([more.status, more.body.detail]).toEqual([
      409,
      "There may be at most 100 approval rules in an organization.",
    ]);
  });

  test("is left by no relabelling without (approval_rule, update)", async ({ world }) => {
    await world.rule({ selector: { env: "prod" } });
    const { stack } = await world.waiting({ env: "prod" });
    const updater = await world.user(["stack", "update"]);
    const both = await world.user(["stack", "update"], ["approval_rule", "update"]);
    const labels = (next: object, by: string) => world.call("PATCH", `/stacks/${stack}`, { labels: next }, by);
    expect((await labels({ env: "prod", team: "a" }, updater)).status).toBe(200);
    expect((await labels({ team: "a" }, updater)).status).toBe(404);
    expect((await labels({ team: "a" }, both)).status).toBe(200);
  });

  test("and so is a policy that has to be met by none without (policy, update)", async ({ world }) => {
    const { sql } = world.database;
    const policy = async (enforcement: string, selector: Record<string, string>, version: number | null) =>
      sql`insert into policies (org_id, name, enforcement, selector, modes, version, last_version)
        values (${world.orgId}, ${enforcement + Object.keys(selector) + version}, ${enforcement}, ${sql.json(selector)}, '{plan}', ${version}, 1)`;
    await policy("mandatory", { env: "prod" }, 1);
    await policy("mandatory", { tier: "1" }, null);
    await policy("advisory", { tier: "1" }, 1);
    const { stack } = await world.waiting({ env: "prod", tier: "1" });
    const updater = await world.user(["stack", "update"]);
    const both = await world.user(["stack", "update"], ["policy", "update"]);
    const labels = (next: object, by: string) => world.call("PATCH", `/stacks/${stack}`, { labels: next }, by);
    expect((await labels({ env: "prod" }, updater)).status).toBe(200);
    expect((await labels({ env: "dev" }, updater)).status).toBe(404);
    expect((await labels({ env: "dev" }, both)).status).toBe(200);
  });

  test("that gets a deadline wakes what waits under it", async ({ world }) => {
    const { id } = await world.waiting({ env: "prod" });
    await world.call("POST", "/approval-rules", RULE);
    const told = () =>
      world.sql`select message ->> 'signal' as signal from outbox where message ->> 'deploymentId' = ${id} order by id`;
    const before = (await told()).length;
    await world.call("POST", "/approval-rules", { ...RULE, name: "limited", deadline: "PT1H" });
    expect((await told()).slice(before).map(({ signal }) => signal)).toEqual(["policyChanged"]);
  });
});

describe("a review", () => {
  test("is a decision: once for each key, offered to who may, and read with what it is worth", async ({ world }) => {
    await world.rule({ count: 2 });
    const { id, plan, path } = await world.waiting();
    const [ada, ben] = [await world.user(["stack", "review"]), await world.user(["stack", "review"])];
    const reader = await world.user();
    expect(
      (await world.call("POST", `${path}/reviews`, { verdict: "approve", plan_run_id: plan }, reader)).status,
    ).toBe(404);
    const offered = async (by: string) => (await world.call("GET", path, undefined, by)).body.allowed_actions;
    expect([await offered(reader), await offered(ada)]).toEqual([[], ["review"]]);
    expect(await offered(world.admin)).toEqual(["confirm", "review", "break_glass", "skip", "cancel"]);
    const comment = "Looks right.\nAll of it.";
    const first = await world.call("POST", `${path}/reviews`, { verdict: "approve", plan_run_id: plan, comment }, ada);
    expect([first.status, first.body.waiting_for]).toEqual([
      200,
      expect.stringContaining("1 more approval by somebody"),
    ]);
    await world.call("POST", `${path}/reviews`, { verdict: "reject", plan_run_id: plan }, ben);
    await world.call("POST", `${path}/reviews`, { verdict: "approve", plan_run_id: plan }, ben);
    const { statements } = await countStatements(() => readApprovals(world.database.db, id));
    expect(statements).toHaveLength(1);
    expect((await world.call("GET", `${path}/approvals`, undefined, reader)).body).toMatchObject({
      plan_run_id: plan,
      blocked: false,
      deadline_at: null,
      required: [{ source: "rule", count: 2, missing: 0, could: [], given: [{ kind: "user" }, { kind: "user" }] }],
      reviews: [
        { verdict: "approve", standing: "counts", reviewer: { id: ben } },
        { verdict: "reject", standing: "replaced", reviewer: { id: ben } },
        { verdict: "approve", standing: "counts", reviewer: { id: ada }, comment },
      ],
    });
    const kinds = await world.sql`select kind from deployment_events where deployment_id = ${id} order by id`;
    expect(kinds.map(({ kind }) => kind)).toEqual(["created", "approved", "rejected", "approved"]);
    const trail =
      await world.sql`select details from audit_log where action = 'deployment.review' and resource_id = ${id} order by id`;
    expect(trail.map(({ details }) => details.verdict)).toEqual(["approve", "reject", "approve"]);
    expect(JSON.stringify(trail)).not.toContain("Looks right");
  });

  test("is missed by who could write it: actionable=me, and a sentence in the refusal of a confirmation", async ({
    world,
  }) => {
    const reviewers = await world.role("read", "review");
    await world.rule({ selector: { env: "prod" }, approvers: { roles: [reviewers] } });
    const ada = await world.person({ name: "Ada", roles: [reviewers] });
    const { id, plan, path } = await world.waiting({ env: "prod" });
    const other = await world.waiting();
    const mine = async (by: string, more = "") =>
      (await world.call("GET", `/deployments?actionable=me${more}`, undefined, by)).body.items.map(
        (one: { id: string }) => one.id,
      );
    expect([await mine(ada.id), await mine(ada.id, "&waiting_for=approval"), await mine(world.admin)]).toEqual([
      [id],
      [id],
      [other.id],
    ]);
    const all = await world.call("GET", "/deployments?waiting_for=approval");
    expect(all.body.items.map((one: { id: string }) => one.id)).toEqual([id]);
    const refused = await world.call("POST", `${path}/confirm`, { action: "apply", plan_run_id: plan });
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      409,
      "approvals_missing",
      expect.stringMatching(/Ada could\.$/),
    ]);
    await world.call("POST", `${path}/reviews`, { verdict: "approve", plan_run_id: plan }, ada.id);
    expect([await mine(ada.id), (await mine(world.admin)).sort()]).toEqual([[], [id, other.id].sort()]);
  });

  test("has a comment that can be shown, and a plan where there is one", async ({ world }) => {
    const { path, plan } = await world.waiting();
    for (const body of [
      { verdict: "maybe" },
      { verdict: "approve", comment: "a\u0007" },
      { verdict: "approve", comment: " " },
    ])
      expect((await world.call("POST", `${path}/reviews`, { plan_run_id: plan, ...body })).status).toBe(422);
    expect((await world.call("POST", `${path}/reviews`, { verdict: "approve" })).body.code).toBe("plan_changed");
  });

  test("the glass is broken with a permission of its own", async ({ world }) => {
    await world.rule();
    const { path, plan } = await world.waiting();
    const confirmer = await world.user(["stack", "confirm"]);
    const body = { action: "apply", plan_run_id: plan, break_glass: "an outage" };
    expect((await world.call("POST", `${path}/confirm`, body, confirmer)).status).toBe(404);
    expect((await world.call("POST", `${path}/confirm`, { ...body, action: "skip" })).status).toBe(422);
    expect((await world.call("POST", `${path}/confirm`, body)).body.status).toBe("applying");
  });
});
