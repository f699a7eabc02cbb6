/** What policies do to deployments: on real Postgres, without HTTP and Temporal (docs/policies.md#what-follows). */
import { describe, expect } from "vitest";
import { coreActivities } from "../../activities/core.ts";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { deploymentView } from "../../src/core/deployments/view.ts";
import { evaluateAgain, overridePolicies } from "../../src/core/policies/decide.ts";
import type { Service } from "../../src/work/service.ts";
import type { TestDatabase } from "../support/database.ts";
import { ACTOR, claim, decide, makeOrg, type TestOrg, TIMEOUTS, testService } from "../support/fixtures.ts";
import { change, KEEP, type PolicyWorld, policyWorld } from "../support/policyTest.ts";
import { databaseTest } from "../support/test.ts";

const test = databaseTest()
  .extend("service", { scope: "file" }, ({ database }) => testService(database))
  .extend("org", ({ database }) => makeOrg(database))
  .extend("world", ({ database, service, org }) => policyWorld(database, service, org));

const APPLY = { action: "apply" } as const;
const BY = { kind: "service_account", id: ACTOR.id, orgId: "", tokenId: null } as const;

describe("the end of a plan", () => {
  test("without a policy that is about it is as it was", async ({ world, database, service }) => {
    await world.policy({ selector: { env: "prod" } });
    await world.policy({ modes: ["destroy"] });
    const { id } = await world.planned();
    expect(await world.gates(id)).toEqual([]);
    expect(await world.events(id)).toContain("deployment_waiting_for_confirmation");
    expect((await decide(service, database, id, "confirm", APPLY)).outcome).toBe("done");
  });

  test("waits for the policies, calls nobody, and says so", async ({ world, database, service }) => {
    await world.policy();
    const { id } = await world.planned(undefined, { auto_approve_mode: "auto" });
    expect(await world.status(id)).toBe("waiting");
    expect(await world.gates(id)).toMatchObject([{ gate: "policy", code: "policy_pending" }]);
    expect((await world.events(id)).at(-1)).toBe("policy_evaluation_started");
    const view = await deploymentView(database.db, TIMEOUTS, id);
    expect(view).toMatchObject({ waitingFor: "policies", evaluationId: expect.any(String) });
    expect(view.deadlineMs).toBeGreaterThan(60_000);
    expect(view.deadlineMs).toBeLessThanOrEqual(120_000);
    expect(await decide(service, database, id, "confirm", APPLY)).toMatchObject({
      outcome: "conflict",
      code: "policy_pending",
    });
    expect((await decide(service, database, id, "skip")).outcome).toBe("done");
    expect(await world.gates(id)).toEqual([]);
    expect(await world.evaluations(id)).toMatchObject([{ status: "void" }]);
  });
});

describe("a mandatory policy that denies", () => {
  test("keeps the plan waiting, with the policy and the reason", async ({ world, database, service }) => {
    await world.policy();
    const { id, runId } = await world.planned();
    await world.evaluate(id);
    const [gate] = await world.gates(id);
    expect(gate).toMatchObject({ code: "policy_denied", due_at: null });
    expect(gate?.detail).toMatch(
      /^Denied by policy policy 1: The plan destroys, replaces or forgets 1 resources; 0 are/,
    );
    expect(await decide(service, database, id, "confirm", APPLY)).toMatchObject({
      outcome: "conflict",
      status: 409,
      code: "policy_denied",
      detail: gate?.detail,
    });
    expect((await world.events(id)).at(-1)).toBe("deployment_policy_denied");
    expect((await world.activity(id)).at(-1)).toMatchObject({
      kind: "policy_denied",
      details: { plan_run_id: runId, policies: "policy 1" },
    });
    expect(await world.evaluations(id)).toMatchObject([
      { status: "done", outcome: "denied", plan_run_id: runId, results: [{ version: 1, digest: "ef".repeat(32) }] },
    ]);
    expect((await deploymentView(database.db, TIMEOUTS, id)).evaluationId).toBeNull();
  });

  test("is overridden for this plan, with a reason, once", async ({ world, database, service, org }) => {
    await world.policy();
    const { id, runId } = await world.planned(undefined, { auto_approve_mode: "auto" });
    const about = { orgId: org.orgId, deploymentId: id };
    const override = (planRunId: string) => overridePolicies(service, BY, about, { reason: "the move", planRunId });
    await expect(override(runId)).rejects.toMatchObject({ status: 409, code: "conflict" });
    await world.evaluate(id);
    await expect(override("0190a3c2-0000-7000-8000-000000000001")).rejects.toMatchObject({ code: "plan_changed" });
    await override(runId);
    expect(await world.gates(id)).toEqual([]);
    expect(await world.status(id)).toBe("waiting");
    expect(await world.evaluations(id)).toMatchObject([{ overridden_by: ACTOR.id, override_reason: "the move" }]);
    expect((await world.events(id)).at(-1)).toBe("deployment_policy_overridden");
    await expect(override(runId)).rejects.toMatchObject({ code: "conflict" });
    expect((await decide(service, database, id, "confirm", APPLY)).outcome).toBe("done");
    expect(await world.status(id)).toBe("applying");
  });

  test("looks at another plan anew, and an override does not reach it", async ({ world, database, service, org }) => {
    await world.policy();
    const { id, runId } = await world.planned();
    await world.evaluate(id);
    await overridePolicies(service, BY, { orgId: org.orgId, deploymentId: id }, { reason: "r", planRunId: runId });
    await decide(service, database, id, "confirm", { action: "replan", targets: ["a.b"] });
    await world.plan(id);
    expect(await world.gates(id)).toMatchObject([{ code: "policy_pending" }]);
    await world.evaluate(id);
    expect(await world.gates(id)).toMatchObject([{ code: "policy_denied" }]);
    expect(
      (await world.evaluations(id)).map(({ outcome, overridden_by }) => [outcome, overridden_by !== null]),
    ).toEqual([
      ["denied", true],
      ["denied", false],
    ]);
  });

  test("looks again when somebody asks, and calls people once it passes", async ({ world, database, service, org }) => {
    const policy = await world.policy();
    const { id } = await world.planned();
    await world.evaluate(id);
    await database.sql`update policies set enforcement = 'shadow' where id = ${policy}`;
    const about = { orgId: org.orgId, deploymentId: id };
    await evaluateAgain(service, BY, about);
    await evaluateAgain(service, BY, about);
    expect(await world.gates(id)).toMatchObject([{ code: "policy_pending" }]);
    await world.evaluate(id);
    expect(await world.gates(id)).toEqual([]);
    expect((await world.events(id)).at(-1)).toBe("deployment_waiting_for_confirmation");
    expect((await world.evaluations(id)).map(({ outcome, requested_by }) => [outcome, requested_by])).toEqual([
      ["denied", null],
      ["passed", ACTOR.id],
    ]);
    await database.sql`insert into policy_evaluations (org_id, deployment_id, plan_run_id, status, outcome, requested_by, completed_at)
      select org_id, deployment_id, plan_run_id, status, outcome, requested_by, completed_at
      from policy_evaluations, generate_series(1, 99) where deployment_id = ${id} and requested_by is not null`;
    await expect(evaluateAgain(service, BY, about)).rejects.toMatchObject({ status: 409 });
  });
});

describe("what does not deny", () => {
  test("lets the stack's own policy apply the plan", async ({ world }) => {
    await world.policy();
    const { id } = await world.planned([change("vm", "add")], { auto_approve_mode: "auto" });
    await world.evaluate(id);
    expect(await world.status(id)).toBe("applying");
    expect((await world.events(id)).at(-1)).toBe("deployment_auto_applied");
    expect(await world.gates(id)).toEqual([]);
  });

  test.for([
    ["advisory", "warned", "waiting"],
    ["shadow", "passed", "applying"],
  ] as const)("by %s is %s, and the deployment %s", async ([enforcement, outcome, status], { world }) => {
    await world.policy({ enforcement });
    const { id } = await world.planned(undefined, { auto_approve_mode: "auto" });
    await world.evaluate(id);
    expect(await world.evaluations(id)).toMatchObject([
      { outcome, results: [{ deny: [expect.any(String)], enforcement }] },
    ]);
    expect(await world.status(id)).toBe(status);
    if (status === "waiting")
      expect((await world.activity(id)).at(-1)).toMatchObject({
        kind: "auto_approve_suppressed",
        details: { reason: "policy_warned" },
      });
  });

  test("by approvals that it asks for stops automatic approval", async ({ world, database }) => {
    await world.policy({ rules: { attention: [{ types: [], count: 1, from: [], reason: "look" }] } });
    const { id } = await world.planned(undefined, { auto_approve_mode: "auto" });
    await world.evaluate(id);
    expect(await world.status(id)).toBe("waiting");
    expect(await world.evaluations(id)).toMatchObject([
      { outcome: "passed", results: [{ approvals: [{ count: 1 }] }] },
    ]);
    const [asked] =
      await database.sql`select missing_approvals(d) -> 'missing' as missing from deployments d where id = ${id}`;
    expect(asked?.missing).toMatchObject([{ source: "policy", reason: "look", count: 1, given: [] }]);
  });

  test("for a stack that is exempt, until the exemption's end", async ({ world, database, service }) => {
    const policy = await world.policy();
    const { id, stackKey } = await world.planned();
    await database.sql`insert into policy_exemptions (policy_id, stack_key, reason, ends_at, created_by, created_by_kind)
      values (${policy}, ${stackKey}, 'the move', svc_now() + interval '1 hour', ${ACTOR.id}, ${ACTOR.kind})`;
    await world.evaluate(id);
    expect(await world.evaluations(id)).toMatchObject([
      { outcome: "passed", results: [{ exemption: { reason: "the move" } }] },
    ]);
    const [gate] = await world.gates(id);
    expect(gate?.open_until?.getTime()).toBe(gate?.due_at?.getTime());
    await database.sql`update policy_exemptions set ends_at = svc_now()`;
    await world.due(id);
    expect(await decide(service, database, id, "confirm", APPLY)).toMatchObject({ code: "policy_pending" });
    await coreActivities(service).deploymentDeadline(id);
    await world.evaluate(id);
    expect(await world.gates(id)).toMatchObject([{ code: "policy_denied" }]);
    expect((await world.events(id)).at(-1)).toBe("deployment_policy_denied");
  });
});

describe("a policy that cannot be evaluated", () => {
  test.for([
    ["mandatory", "denied"],
    ["advisory", "warned"],
  ] as const)("is %s: %s", async ([enforcement, outcome], { world }) => {
    await world.policy({ enforcement });
    const { id, runId } = await world.planned();
    world.forget(runId);
    await world.evaluate(id);
    expect(await world.evaluations(id)).toMatchObject([
      { outcome, results: [{ error: "The plan's list of changes is not there." }] },
    ]);
  });

  test("because no worker does it in time: the deployment's own deadline ends the wait", async ({ world, service }) => {
    await world.policy();
    const { id } = await world.planned();
    const { evaluationId } = await coreActivities(service).readDeployment(id);
    await world.due(id);
    const view = await coreActivities(service).deploymentDeadline(id);
    expect(view).toMatchObject({ waitingFor: "person", evaluationId: null, deadlineMs: null });
    expect((await world.gates(id))[0]?.detail).toContain("No worker has evaluated it in time.");
    // The worker that comes late changes nothing.
    const { evaluatePlan } = await import("../../src/core/policies/evaluatePlan.ts");
    await evaluatePlan({ service, objects: world.objects }, id, evaluationId as string);
    expect(await world.evaluations(id)).toMatchObject([{ outcome: "denied", results: [{ duration_ms: 0 }] }]);
  });
});

test("policies that are larger together than may be in memory are not met, the last ones first", async ({
  world,
  database,
}) => {
  const [first, second] = [await world.policy(), await world.policy()];
  await database.sql`update policy_versions set kind = 'bundle', rules = null, entrypoint = 'deploy', wasm = decode(repeat('00', 33 * 1048576), 'hex')
    where policy_id in (${first}, ${second})`;
  const { id } = await world.planned();
  await world.evaluate(id);
  const [{ outcome, results }] = (await world.evaluations(id)) as unknown as [
    { outcome: string; results: { error: string }[] },
  ];
  expect([outcome, results.map(({ error }) => error)]).toEqual([
    "denied",
    ["It ended with an error of its own.", "It and the policies before it are larger than can be evaluated together."],
  ]);
});

test("a policy that is only tried out denies nothing by what it finds, and is asked after those that count", async ({
  world,
  database,
  service,
}) => {
  await world.policy({ enforcement: "shadow", rules: { protected_types: ["vm"] } });
  await world.policy({ enforcement: "advisory", rules: { protected_types: ["vm"] } });
  await world.policy({ rules: { max_destroys: 9 } });
  const odd = { ...change("vm", "destroy"), address: 'vm.x["\u0000\ud800"]' };
  const { id } = await world.planned([odd]);
  await world.evaluate(id);
  const [evaluation] = await world.evaluations(id);
  expect(evaluation).toMatchObject({ status: "done", outcome: "warned" });
  expect(evaluation?.results.map((result: { enforcement: string }) => result.enforcement)).toEqual([
    ...["mandatory", "advisory", "shadow"],
  ]);
  expect((await decide(service, database, id, "confirm", APPLY)).outcome).toBe("done");
});

describe("an apply that was confirmed in time", () => {
  const HOUR = 3_600_000;
  const closedIn = (ms: number) => ({
    time_zone: "UTC",
    open: [],
    closed: [
      {
        from: new Date(Date.now() + ms).toISOString(),
        to: new Date(Date.now() + ms + HOUR).toISOString(),
        reason: "frozen",
      },
    ],
  });

  /** Confirmed; its runner comes after all that the policies said was to hold until then. */
  async function late(world: PolicyWorld, database: TestDatabase, org: TestOrg, service: Service, id: string) {
    expect((await decide(service, database, id, "confirm", APPLY)).outcome).toBe("done");
    await database.sql`update policy_evaluations e set results = (
        select jsonb_agg(case when r -> 'exemption' = 'null' then case when r -> 'until' = 'null' then r else jsonb_set(r, '{until}', to_jsonb(svc_now())) end
          else jsonb_set(r, '{exemption,ends_at}', to_jsonb(svc_now())) end) from jsonb_array_elements(results) r)
      where deployment_id = ${id}`;
    const { runId, runnerId } = await claim(database, org, id);
    const { outcome } = await acceptRun(service, runId, runnerId);
    const [row] = await database.sql`select error from deployments where id = ${id}`;
    return [outcome, await world.status(id), row?.error];
  }

  const REFUSED = ["refused", "failed", expect.stringContaining("were over before a runner began")];
  const ACCEPTED = ["accepted", "applying", null];

  test("is not begun after the hours", async ({ world, database, org, service }) => {
    await world.policy({ rules: { windows: closedIn(HOUR) } });
    const { id } = await world.planned();
    await world.evaluate(id);
    expect(await late(world, database, org, service, id)).toEqual(REFUSED);
  });

  test("nor after an exemption's end, whatever the hours say that it was exempt from", async ({
    world,
    database,
    org,
    service,
  }) => {
    const policy = await world.policy({ rules: { max_destroys: 0, windows: closedIn(-HOUR / 2) } });
    const { id, stackKey } = await world.planned();
    await database.sql`insert into policy_exemptions (policy_id, stack_key, reason, ends_at, created_by, created_by_kind)
      values (${policy}, ${stackKey}, 'the move', svc_now() + interval '2 hours', ${ACTOR.id}, ${ACTOR.kind})`;
    await world.evaluate(id);
    expect(await late(world, database, org, service, id)).toEqual(REFUSED);
  });

  test("is begun where nothing has an end, what ends is only tried out, or somebody has overridden it", async ({
    world,
    database,
    org,
    service,
  }) => {
    await world.policy({ enforcement: "advisory", rules: { windows: closedIn(HOUR) } });
    await world.policy({ rules: { max_destroys: 9 } });
    const open = await world.planned();
    await world.evaluate(open.id);
    expect(await late(world, database, org, service, open.id)).toEqual(ACCEPTED);
    await world.policy({ rules: { windows: closedIn(-HOUR / 2) } });
    const denied = await world.planned();
    await world.evaluate(denied.id);
    const about = { orgId: org.orgId, deploymentId: denied.id };
    await overridePolicies(service, BY, about, { reason: "the move", planRunId: denied.runId });
    expect(await late(world, database, org, service, denied.id)).toEqual(ACCEPTED);
  });
});

test("hours: what is denied passes when they come, and people are not called again while it stays so", async ({
  world,
  database,
  service,
}) => {
  const closed = (from: number, to: number) => [
    { from: new Date(Date.now() + from).toISOString(), to: new Date(Date.now() + to).toISOString(), reason: "frozen" },
  ];
  const windows = (from: number, to: number) => ({ time_zone: "UTC", open: [], closed: closed(from, to) });
  const policy = await world.policy({ rules: { windows: windows(-60_000, 3_600_000) } });
  const { id } = await world.planned();
  await world.evaluate(id);
  const [gate] = await world.gates(id);
  expect(gate).toMatchObject({ code: "policy_denied", open_until: null });
  expect(gate?.due_at?.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
  const rules = { protected_types: [], max_destroys: null, attention: [], windows: windows(3_600_000, 7_200_000) };
  await database.sql`update policy_versions set rules = ${database.sql.json(rules as never)} where policy_id = ${policy}`;
  const again = async () => {
    await world.due(id);
    await coreActivities(service).deploymentDeadline(id);
    await world.evaluate(id);
  };
  await again();
  expect((await world.gates(id))[0]?.open_until).not.toBeNull();
  expect((await world.events(id)).at(-1)).toBe("deployment_waiting_for_confirmation");
  await again();
  expect((await world.events(id)).at(-1)).toBe("policy_evaluated");
  expect((await decide(service, database, id, "confirm", APPLY)).outcome).toBe("done");
});

test("a confirmation waits for a mandatory policy that has not seen the plan, unless it was overridden", async ({
  world,
  database,
  service,
  org,
}) => {
  const { sql } = database;
  const first = await world.policy({ rules: { max_destroys: 9 } });
  const { id, stackKey, runId } = await world.planned(undefined, { auto_approve_mode: "manual" });
  await world.evaluate(id);
  const looksAgain = async () => {
    expect(await decide(service, database, id, "confirm", APPLY)).toMatchObject({ code: "policy_pending" });
    expect(await world.gates(id)).toMatchObject([{ code: "policy_pending", open_until: null }]);
    expect((await world.events(id)).at(-1)).toBe("policy_evaluation_started");
    await world.evaluate(id);
  };
  const another = (version: number, policy: string) => sql`
    with v as (insert into policy_versions (policy_id, version, kind, digest, rules, created_by, created_by_kind)
      select policy_id, ${version}, kind, digest, rules, created_by, created_by_kind from policy_versions
      where policy_id = ${policy} and version = 1)
    update policies set version = ${version}, last_version = ${version} where id = ${policy}`;
  await another(2, first);
  await looksAgain();
  await world.policy({ enforcement: "advisory" });
  const second = await world.policy();
  await sql`insert into policy_exemptions (policy_id, stack_key, reason, ends_at, created_by, created_by_kind)
    values (${second}, ${stackKey}, 'r', svc_now() + interval '1 hour', ${ACTOR.id}, ${ACTOR.kind})`;
  await evaluateAgain(service, BY, { orgId: org.orgId, deploymentId: id });
  await world.evaluate(id);
  await sql`delete from policy_exemptions where policy_id = ${second}`;
  await looksAgain();
  expect(await world.gates(id)).toMatchObject([{ code: "policy_denied" }]);
  await overridePolicies(service, BY, { orgId: org.orgId, deploymentId: id }, { reason: "r", planRunId: runId });
  await another(2, second);
  expect((await decide(service, database, id, "confirm", APPLY)).outcome).toBe("done");
});

test("a policy is asked with the version that counts when it looks", async ({ world, database }) => {
  const policy = await world.policy({ rules: KEEP });
  const { id } = await world.planned();
  await database.sql`update policies set version = null where id = ${policy}`;
  await world.evaluate(id);
  expect(await world.evaluations(id)).toMatchObject([{ outcome: "passed", results: [] }]);
});
