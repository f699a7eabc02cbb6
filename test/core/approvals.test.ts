/** Whose approval counts for a plan, and for how long (docs/approvals.md). */
import fc from "fast-check";
import { describe, expect } from "vitest";
import { isDestructive } from "../../src/core/approvals/gate.ts";
import { requireApprovals } from "../../src/core/approvals/requireApprovals.ts";
import { retryDeployment } from "../../src/core/deployments/retry.ts";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { passDeploymentDeadline } from "../../src/core/deployments/transitions/deploymentDeadline.ts";
import { closeGates, openGate } from "../../src/core/gates/write.ts";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import type { Actor } from "../../src/work/domainEvent.ts";
import type { Service } from "../../src/work/service.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { approvalWorld } from "../support/approvalsTest.ts";
import { dependsOn, finishApply, resolveAll, testCascade } from "../support/cascades.ts";
import type { TestDatabase } from "../support/database.ts";
import { DAILY, driftWorld, refreshed } from "../support/driftTest.ts";
import { claim, create, makeOrg, makeStack, statuses, type TestOrg } from "../support/fixtures.ts";
import { CHANGES, NONE, test as plain } from "../support/transitionsTest.ts";

/** Each test has an organization of its own: rules concern all of its stacks. */
const test = plain
  .extend("own", ({ database }) => makeOrg(database))
  .extend("world", async ({ database, service, own: org }) => {
    const world = approvalWorld(database, service, org);
    const reviewers = await world.role("read", "review");
    const [ada, ben, eve] = await Promise.all(
      ["Ada", "Ben", "Eve"].map((name) => world.person({ name, roles: [reviewers] })),
    );
    const stack = (settings: Record<string, unknown> = {}) => makeStack(database, org.orgId, settings);
    return { ...world, service, reviewers, stack, ada: ada!, ben: ben!, eve: eve! };
  });

const KEYRING = createKeyring({ provider: "aes-256", key: Buffer.alloc(32, 7), previousKeys: [] });
/** The pending run of a deployment in a runner's hands. */
async function accepted(service: Service, database: TestDatabase, org: TestOrg, id: string) {
  const claimed = await claim(database, org, id);
  await acceptRun(service, claimed.runId, claimed.runnerId);
  return claimed;
}

const APPLY = { action: "apply" } as const;
const DESTROYS = { has_changes: true, counts: { ...NONE, destroy: 1 }, gaps: [] };

describe("a plan that needs two approvals", () => {
  test("is applied with them, and says before who could give them", async ({ world }) => {
    const { ada, ben, eve } = world;
    await world.rule({ count: 2, approvers: { roles: [world.reviewers] } });
    const { id, plan } = await world.planned(await world.stack());
    expect(await world.decide(id, "confirm", APPLY, eve)).toMatchObject({
      outcome: "conflict",
      status: 409,
      code: "approvals_missing",
      detail: expect.stringMatching(
        /^It needs 2 more approvals by role .* \(rule .*, 0 of 2 given\)\. Ada, Ben or Eve could\.$/,
      ),
    });
    expect(await world.approve(id, plan, ada)).toMatchObject({
      outcome: "done",
      deployment: {
        status: "waiting",
        waiting_for: expect.stringMatching(/^It needs 1 more approval by role .* 1 of 2 given\)\.$/),
        gates: [{ gate: "approvals", code: "approvals_missing" }],
      },
    });
    // Twice is one.
    await world.approve(id, plan, ada);
    expect([await world.waitingFor(id, ada), await world.waitingFor(id, ben)]).toEqual([false, true]);
    expect(await world.outcome(id, "confirm", APPLY, eve)).toBe("approvals_missing");
    expect(await world.approve(id, plan, ben)).toMatchObject({
      deployment: { waiting_for: expect.stringContaining("A person has to look"), gates: [] },
    });
    expect(await world.outcome(id, "confirm", APPLY, eve)).toBe("done");
    expect(await world.status(id)).toBe("applying");
  });

  test("loses them with a replan, and with it whoever replanned", async ({ world }) => {
    const { ada, ben, eve } = world;
    await world.rule({ count: 1, approvers: { roles: [world.reviewers] } });
    const { id, plan } = await world.planned(await world.stack());
    await world.approve(id, plan, ada);
    expect(await world.outcome(id, "confirm", { action: "replan" }, ben)).toBe("done");
    const second = await world.endPlan(id);
    expect(await world.outcome(id, "confirm", APPLY, eve)).toBe("approvals_missing");
    // The one that was seen before is not this one.
    expect(await world.outcome(id, "review", { verdict: "approve", plan_run_id: plan }, ada)).toBe("plan_changed");
    expect(await world.outcome(id, "review", { verdict: "approve", plan_run_id: second }, ben)).toBe("own_change");
    await world.approve(id, second, ada);
    expect(await world.outcome(id, "confirm", { ...APPLY, plan_run_id: second }, eve)).toBe("done");
  });

  test("is kept from being applied by a rejection, until its writer takes it back or may review no more", async ({
    world,
  }) => {
    const { ada, ben, eve } = world;
    await world.rule({ count: 1, approvers: { roles: [world.reviewers] } });
    const { id, plan } = await world.planned(await world.stack());
    await world.approve(id, plan, ada);
    expect(await world.reject(id, plan, ben)).toMatchObject({
      deployment: {
        waiting_for: "A reviewer rejects this plan: until they approve it, it has to be planned again or skipped.",
      },
    });
    expect(await world.outcome(id, "confirm", APPLY, eve)).toBe("approvals_missing");
    await world.take(ben, world.reviewers);
    expect(await world.missing(id)).toBeNull();
    await world.give(ben, world.reviewers);
    expect(await world.outcome(id, "confirm", APPLY, eve)).toBe("approvals_missing");
    await world.approve(id, plan, ben);
    expect(await world.outcome(id, "confirm", APPLY, eve)).toBe("done");
  });
});

describe("nobody approves their own change", () => {
  test("made by themselves, or by an account of which they minted a token, even one that is gone", async ({
    world,
  }) => {
    const { ada, ben } = world;
    await world.rule();
    const bot = await world.account({ roles: [world.reviewers], minter: ada });
    await world.sql`delete from service_account_tokens where service_account_id = ${bot.id}`;
    for (const actor of [ada, bot]) {
      const { id, plan } = await world.planned(await world.stack(), { actor });
      expect(await world.outcome(id, "review", { verdict: "approve", plan_run_id: plan }, ada)).toBe("own_change");
      expect(await world.outcome(id, "review", { verdict: "approve", plan_run_id: plan }, bot)).toBe("own_change");
      expect(await world.outcome(id, "review", { verdict: "approve", plan_run_id: plan }, ben)).toBe("done");
      expect(await world.missing(id)).toBeNull();
    }
  });

  test("made by an account that they have deleted since", async ({ world }) => {
    const { ada, ben } = world;
    await world.rule();
    const bot = await world.account({ roles: [world.reviewers], minter: ada });
    const { id, plan } = await world.planned(await world.stack(), { actor: bot });
    await world.sql`delete from service_accounts where id = ${bot.id}`;
    expect(await world.outcome(id, "review", { verdict: "approve", plan_run_id: plan }, ada)).toBe("own_change");
    expect(await world.outcome(id, "review", { verdict: "approve", plan_run_id: plan }, ben)).toBe("done");
  });

  test("that comes by a schedule of theirs, even one that is gone", async ({ world }) => {
    const { sql, orgId, ada } = world;
    await world.rule();
    const stackKey = await world.stack();
    const { id, plan } = await world.planned(stackKey);
    const [schedule] =
      await sql`insert into schedules (org_id, stack_key, name, mode, cron, created_by, created_by_kind)
      values (${orgId}, ${stackKey}, 'nightly', 'plan', '0 3 * * *', ${ada.id}, 'user') returning id`;
    await sql`insert into schedule_occurrences (schedule_id, occurs_at, stack_key, org_id, status, deployment_id)
      values (${schedule?.id}, svc_now(), ${stackKey}, ${orgId}, 'created', ${id})`;
    await sql`delete from schedules where id = ${schedule?.id}`;
    expect(await world.outcome(id, "review", { verdict: "approve", plan_run_id: plan }, ada)).toBe("own_change");
  });

  test("that comes by a lifetime which they have set, whoever prolonged it since", async ({ world }) => {
    const { sql, orgId, ada, ben } = world;
    await world.rule();
    const stackKey = await world.stack();
    const { id, plan } = await world.planned(stackKey);
    await sql`insert into stack_lifetimes (stack_key, org_id, remind_ms, reason, set_by, set_by_kind)
      values (${stackKey}, ${orgId}, 0, 'demo', ${ada.id}, 'user')`;
    await sql`update stack_lifetimes set set_by = ${ben.id}`;
    await sql`update stack_lifetimes set destroy_id = ${id}`;
    for (const maker of [ada, ben]) {
      expect(await world.outcome(id, "review", { verdict: "approve", plan_run_id: plan }, maker)).toBe("own_change");
    }
  });

  test("written by them, by any name that was ever theirs", async ({ world }) => {
    const writer = await world.person({ login: `writer-${world.orgId}`, roles: [world.reviewers] });
    await world.rule();
    await world.sql`insert into user_identities (provider_key, issuer, subject, user_id, login)
      values ('codehost', 'https://git.example', ${writer.id}, ${writer.id}, ${`Octo-${world.orgId}`})`;
    await world.sql`delete from user_identities where user_id = ${writer.id}`;
    for (const commitAuthor of [`writer-${world.orgId}`, `octo-${world.orgId}`.toUpperCase()]) {
      const { id, plan } = await world.planned(await world.stack(), { commitAuthor });
      expect(await world.outcome(id, "review", { verdict: "approve", plan_run_id: plan }, writer)).toBe("own_change");
    }
  });

  test("pushed by them under another's name, whoever deploys it", async ({ world }) => {
    const { sql, orgId, ada, ben } = world;
    await world.rule();
    await sql`update users set login = ${`octo-${orgId}`} where id = ${ada.id}`;
    const [integration] = await sql`
      insert into scm_integrations (org_id, name, url_pattern) values (${orgId}, 'host', 'x') returning id`;
    const commitSha = "5".repeat(40);
    await sql`insert into scm_events (org_id, integration_id, external_event_id, kind, repository_key, branch, after_sha, sender)
      values (${orgId}, ${integration?.id}, 'push', 'push_branch_changed', 'r', 'main', ${commitSha}, ${`Octo-${orgId}`})`;
    const { id, plan } = await world.planned(await world.stack(), { commitSha, commitAuthor: "Ben", actor: null });
    expect(await world.outcome(id, "review", { verdict: "approve", plan_run_id: plan }, ada)).toBe("own_change");
    expect(await world.outcome(id, "review", { verdict: "approve", plan_run_id: plan }, ben)).toBe("own_change");
    const other = await world.planned(await world.stack(), { actor: null });
    expect(await world.outcome(other.id, "review", { verdict: "approve", plan_run_id: other.plan }, ada)).toBe("done");
  });

  test("that they made before somebody else tried it again, by any account of theirs", async ({ world }) => {
    const { sql, ada, ben, eve } = world;
    await world.rule();
    const bot = await world.account({ roles: [world.reviewers], minter: ada });
    const retry = async (id: string, stackKey: string, by: Actor) => {
      await world.decide(id, "cancel", {}, eve);
      await sql`update deployments set created_at = created_at - interval '6 seconds' where id = ${id}`;
      const as = { ...by, orgId: world.orgId, tokenId: null } as never;
      return (await retryDeployment(world.service, KEYRING, as, { id, stackKey }, null)).id;
    };
    for (const maker of [ada, bot]) {
      const stackKey = await world.stack();
      const first = await create(world.service, stackKey, { actor: maker });
      const second = await retry(first, stackKey, eve);
      const third = await retry(second, stackKey, ben);
      const plan = await world.endPlan(third);
      for (const own of [ada, bot, eve, ben])
        expect(await world.outcome(third, "review", { verdict: "approve", plan_run_id: plan }, own)).toBe("own_change");
    }
  });

  test("that follows from an apply of theirs, made or confirmed, through any stacks between", async ({
    world,
    database,
    own: org,
  }) => {
    const { service, ada, ben, eve } = world;
    const [first, second, third] = [await world.stack(), await world.stack(), await world.stack()] as const;
    await dependsOn(database, second, first);
    await dependsOn(database, third, second);
    const follow = async (parent: string, stackKey: string) => {
      await resolveAll(testCascade(service), parent);
      const [child] = await world.sql`select id from deployments where stack_key = ${stackKey}`;
      return { id: child?.id as string, plan: await world.endPlan(child?.id) };
    };
    const apply = async (id: string, by: Actor) => {
      expect(await world.outcome(id, "confirm", APPLY, by)).toBe("done");
      await finishApply(service, { ...(await accepted(service, database, org, id)), deploymentId: id, planRunId: id });
    };
    const made = await world.planned(first, { actor: ada });
    await apply(made.id, ben);
    const middle = await follow(made.id, second);
    await apply(middle.id, ben);
    const last = await follow(middle.id, third);
    await world.rule();
    for (const [by, outcome] of [
      [ada, "own_change"],
      [ben, "own_change"],
      [eve, "done"],
    ] as const)
      expect(await world.outcome(last.id, "review", { verdict: "approve", plan_run_id: last.plan }, by)).toBe(outcome);
  });

  test("that drift had made again; who let that be applied has changed nothing", async ({
    world,
    database,
    own: org,
  }) => {
    const { sql, service, ada, ben, eve } = world;
    const drift = driftWorld(database, service, org);
    const stackKey = await world.stack();
    await sql`insert into stack_drift (stack_key, org_id, policy, stale)
      values (${stackKey}, ${world.orgId}, ${sql.json({ ...DAILY, reconcile: "plan" })}, true)`;
    const applied = await world.planned(stackKey, { actor: ada });
    const apply = async (id: string, by: Actor) => {
      expect(await world.outcome(id, "confirm", APPLY, by)).toBe("done");
      await finishApply(service, { ...(await accepted(service, database, org, id)), deploymentId: id, planRunId: id });
    };
    await apply(applied.id, ben);
    await world.rule();
    const reconciled = async (address: string) => {
      await drift.check(stackKey, refreshed(address));
      await drift.step();
      const id = (await drift.row(stackKey)).reconcile_id as string;
      return { id, plan: await world.endPlan(id) };
    };
    const first = await reconciled("a.x");
    const approved = ({ id, plan }: typeof first, by: Actor) =>
      world.outcome(id, "review", { verdict: "approve", plan_run_id: plan }, by);
    expect([await approved(first, ada), await approved(first, ben), await approved(first, eve)]).toEqual([
      ...["own_change", "own_change", "done"],
    ]);
    await apply(first.id, eve);
    const second = await reconciled("b.y");
    expect([await approved(second, ada), await approved(second, ben), await approved(second, eve)]).toEqual([
      ...["own_change", "own_change", "done"],
    ]);
  });

  test("also when the review came before it was known whose change it is", async ({ world }) => {
    const { ada, ben } = world;
    await world.rule();
    const { id, plan } = await world.planned(await world.stack());
    await world.approve(id, plan, ada);
    expect(await world.missing(id)).toBeNull();
    await world.sql`update deployments set commit_author = 'Ada' where id = ${id}`;
    expect(await world.outcome(id, "confirm", APPLY, ben)).toBe("approvals_missing");
  });
});

describe("an account", () => {
  test("counts only where it is named, and not beside who has minted a token of it", async ({ world }) => {
    const { ada, ben, eve } = world;
    const bot = await world.account({ roles: [world.reviewers], minter: ada });
    const other = await world.account({ roles: [world.reviewers] });
    await world.rule({ count: 2, approvers: { roles: [world.reviewers], service_accounts: [bot.id] } });
    const { id, plan } = await world.planned(await world.stack());
    for (const by of [ada, bot, other]) await world.approve(id, plan, by);
    expect((await world.missing(id)).missing[0].given).toEqual([{ kind: "user", id: ada.id }]);
    await world.reject(id, plan, other);
    expect((await world.missing(id)).rejections).toEqual([]);
    await world.approve(id, plan, ben);
    expect(await world.outcome(id, "confirm", APPLY, eve)).toBe("done");
  });

  test("is one with another that the same person has minted a token of, also of several minters", async ({ world }) => {
    const { ada, ben, eve } = world;
    const [a, b, c, alone] = await Promise.all([
      ...[ada, ada, ben].map((minter) => world.account({ roles: [world.reviewers], minter })),
      world.account({ roles: [world.reviewers] }),
    ]);
    if (!a || !b || !c || !alone) throw new Error("four accounts");
    await world.mint(b, ben);
    await world.rule({ count: 2, approvers: { service_accounts: [a.id, b.id, c.id, alone.id] } });
    const { id, plan } = await world.planned(await world.stack());
    await world.approve(id, plan, b);
    expect([await world.waitingFor(id, a), await world.waitingFor(id, c), await world.waitingFor(id, alone)]).toEqual([
      ...[false, false, true],
    ]);
    for (const by of [a, c]) await world.approve(id, plan, by);
    // Each of them could be who is behind the one between, so that two of three are certain at most.
    expect((await world.missing(id))?.missing[0].given.length ?? 2).toBeLessThanOrEqual(2);
    const other = await world.planned(await world.stack());
    for (const by of [a, b]) await world.approve(other.id, other.plan, by);
    expect(await world.decide(other.id, "confirm", APPLY, eve)).toMatchObject({
      code: "approvals_missing",
      detail: expect.stringContaining("1 of 2 given"),
    });
    await world.approve(other.id, other.plan, alone);
    expect(await world.outcome(other.id, "confirm", APPLY, eve)).toBe("done");
  });
});

describe("who counts is asked at the moment of the confirmation", () => {
  test.for([
    ["lost the role", "delete from role_assignments where user_id = $1"],
    ["left the organization", "delete from memberships where user_id = $1"],
    ["is a member no more, by the clock", "update memberships set expires_at = svc_now() where user_id = $1"],
    ["is disabled", "update users set disabled_at = svc_now() where id = $1"],
  ] as const)("and not of who %s", async ([, statement], { world }) => {
    const { ada, eve } = world;
    await world.rule({ approvers: { roles: [world.reviewers] } });
    const { id, plan } = await world.planned(await world.stack());
    await world.approve(id, plan, ada);
    await world.sql.unsafe(statement, [ada.id]);
    expect(await world.outcome(id, "confirm", APPLY, eve)).toBe("approvals_missing");
  });

  test("by a role that a group confers, and by the group itself", async ({ world }) => {
    const { sql, orgId, eve } = world;
    const person = await world.person();
    const [source] =
      await sql`insert into identity_sources (org_id, provider_key, source_slug, display_name, oidc_issuer, oidc_client_id, oidc_groups_claim)
      values (${orgId}, 'oidc', 's', 's', 'https://idp.example', 'c', 'groups') returning id`;
    const [binding] =
      await sql`insert into group_role_bindings (identity_source_id, group_key) values (${source?.id}, 'platform') returning id`;
    await sql`insert into group_role_binding_roles (binding_id, role_id) values (${binding?.id}, ${world.reviewers})`;
    const entitled = (until: string) => sql`
      insert into external_entitlements (user_id, provider_key, issuer, client_id, groups_claim, group_key, expires_at)
      values (${person.id}, 'oidc', 'https://idp.example', 'c', 'groups', 'platform', svc_now() + ${until}::interval)
      on conflict (user_id, told_sha256) do update set expires_at = excluded.expires_at`;
    await entitled("1 hour");
    await world.rule({ selector: { by: "role" }, approvers: { roles: [world.reviewers] } });
    await world.rule({
      selector: { by: "group" },
      approvers: { groups: [{ identity_source_id: source?.id, group_key: "platform" }] },
    });
    for (const by of ["role", "group"]) {
      await entitled("1 hour");
      const { id, plan } = await world.planned(await world.stack({ labels: sql.json({ by }) }));
      expect(await world.waitingFor(id, person)).toBe(true);
      await world.approve(id, plan, person);
      expect(await world.missing(id)).toBeNull();
      await entitled("0 seconds");
      expect(await world.outcome(id, "confirm", APPLY, eve)).toBe("approvals_missing");
    }
  });
});

describe("a rule", () => {
  test("is for some labels, modes and plans that destroy, and counts for what waits already", async ({ world }) => {
    const { sql, eve } = world;
    const prod = await world.stack({ labels: sql.json({ env: "prod" }) });
    const { id } = await world.planned(prod);
    const rule = await world.rule({ selector: { env: "prod" }, destructive: true });
    expect(await world.missing(id)).toBeNull();
    await sql`update approval_rules set destructive = false where id = ${rule}`;
    expect(await world.outcome(id, "confirm", APPLY, eve)).toBe("approvals_missing");
    await sql`update approval_rules set modes = '{destroy}' where id = ${rule}`;
    expect(await world.outcome(id, "confirm", APPLY, eve)).toBe("done");
    await sql`update approval_rules set modes = '{plan}', destructive = true where id = ${rule}`;
    for (const [summary, asked] of [
      [CHANGES, false],
      [DESTROYS, true],
      [null, true],
      [{ ...CHANGES, gaps: ["?"] }, true],
    ] as const) {
      const other = await world.planned(await world.stack({ labels: sql.json({ env: "prod" }) }), { summary });
      expect((await world.missing(other.id)) !== null).toBe(asked);
    }
    const elsewhere = await world.planned(await world.stack({ labels: sql.json({ env: "dev" }) }), {
      summary: DESTROYS,
    });
    expect(await world.missing(elsewhere.id)).toBeNull();
  });

  test("keeps a preview that waits from being started, where it says so", async ({ world }) => {
    const { ada, eve } = world;
    await world.rule({ modes: [], previews: true });
    const id = await create(world.service, await world.stack(), { mode: "plan_unlocked", parked: true, actor: null });
    expect(await world.outcome(id, "confirmPreview", {}, eve)).toBe("approvals_missing");
    await world.approve(id, null, ada);
    expect(await world.outcome(id, "confirmPreview", {}, eve)).toBe("done");
  });

  test("is never overridden by automatic approval, which goes on with the last approval", async ({
    world,
    database,
  }) => {
    const { ada, ben } = world;
    await world.rule({ count: 2 });
    const { id, plan } = await world.planned(await world.stack({ auto_approve_mode: "auto" }));
    expect(await statuses(database, id)).toMatchObject({
      deployment: "waiting",
      events: ["created", "auto_approve_suppressed"],
    });
    await world.approve(id, plan, ada);
    expect(await world.status(id)).toBe("waiting");
    expect(await world.approve(id, plan, ben)).toMatchObject({ outcome: "done", deployment: { status: "applying" } });
    expect((await statuses(database, id)).events.slice(2)).toEqual(["approved", "approved", "auto_applied"]);
    const manual = await world.planned(await world.stack());
    await world.approve(manual.id, manual.plan, ada);
    await world.approve(manual.id, manual.plan, ben);
    expect(await world.status(manual.id)).toBe("waiting");
  });
});

test("a plan whose denial was overridden is confirmed by a person, also after the last approval", async ({ world }) => {
  const { sql, orgId, ada } = world;
  for (const outcome of ["denied", "warned", "passed"]) {
    await world.rule();
    const { id, plan } = await world.planned(await world.stack({ auto_approve_mode: "auto" }));
    await sql`insert into policy_evaluations (org_id, deployment_id, plan_run_id, status, outcome, completed_at, overridden_at)
      values (${orgId}, ${id}, ${plan}, 'done', ${outcome}, svc_now(), svc_now())`;
    await world.approve(id, plan, ada);
    expect([outcome, await world.status(id)]).toEqual([outcome, outcome === "passed" ? "applying" : "waiting"]);
    await sql`delete from approval_rules where org_id = ${orgId}`;
  }
});

describe("the deadline", () => {
  test("skips what lacks approvals then, and nothing else; reminders come before", async ({ world }) => {
    const { sql, ada } = world;
    await world.rule({ deadline_ms: 3_600_000, remind_ms: 600_000 });
    const { id, plan } = await world.planned(await world.stack());
    const waitedFor = (minutes: number) => sql`
      update deployments set waiting_since = svc_now() - ${minutes} * interval '1 minute' where id = ${id}`;
    const reminders = async () =>
      (await sql`select 1 from domain_events where deployment_id = ${id} and name = 'approvals_awaited'`).length;
    await waitedFor(11);
    await passDeploymentDeadline(world.service, id);
    await passDeploymentDeadline(world.service, id);
    expect([await reminders(), await world.status(id)]).toEqual([1, "waiting"]);
    await world.approve(id, plan, ada);
    await waitedFor(61);
    await passDeploymentDeadline(world.service, id);
    expect([await reminders(), await world.status(id)]).toEqual([1, "waiting"]);
    await world.take(ada, world.reviewers);
    await passDeploymentDeadline(world.service, id);
    const [row] = await sql`select status, skipped_reason from deployments where id = ${id}`;
    expect(row).toEqual({ status: "skipped", skipped_reason: "approval_timeout" });
  });
});

describe("breaking the glass", () => {
  test("applies without, leaves its reason in the trail, and is refused where nothing is missing", async ({
    world,
  }) => {
    const { sql, ada, eve } = world;
    await world.rule();
    const { id, plan } = await world.planned(await world.stack());
    expect(await world.outcome(id, "confirm", { ...APPLY, break_glass: "an outage" }, eve)).toBe("done");
    expect(await world.status(id)).toBe("applying");
    const [entry] =
      await sql`select actor_id, details from audit_log where action = 'deployment.break_glass' and resource_id = ${id}`;
    expect(entry).toMatchObject({
      actor_id: eve.id,
      details: { reason: "an outage", missing: [expect.stringMatching(/^rule /)] },
    });
    expect(
      await sql`select 1 from domain_events where deployment_id = ${id} and name = 'deployment_broke_glass'`,
    ).toHaveLength(1);
    const other = await world.planned(await world.stack());
    await world.approve(other.id, other.plan, ada);
    expect(plan).not.toBe(other.plan);
    expect(await world.outcome(other.id, "confirm", { ...APPLY, break_glass: "an outage" }, eve)).toBe(
      "invalid_transition",
    );
  });
});

describe("a gate of somebody else", () => {
  test("is told beside, and opened by no broken glass", async ({ world }) => {
    const { ada, eve } = world;
    await world.rule();
    const { id, plan } = await world.planned(await world.stack());
    const gate = { gate: "policy", code: "policy_denied", detail: "It is denied." } as const;
    const at = { deploymentId: id, planRunId: plan };
    await unitOfWork(world.service, ({ tx }) => closeGates(tx, at, [gate]));
    const glass = { ...APPLY, break_glass: "an outage" };
    expect(await world.outcome(id, "confirm", glass, eve)).toBe("policy_denied");
    expect(await world.decide(id, "confirm", APPLY, eve)).toMatchObject({
      code: "policy_denied",
      detail: expect.stringMatching(/^It is denied\. It needs 1 more approval/),
    });
    await world.approve(id, plan, ada);
    await unitOfWork(world.service, ({ tx }) => openGate(tx, id, "policy"));
    expect(await world.outcome(id, "confirm", APPLY, eve)).toBe("done");
  });
});

describe("what a policy asks for", () => {
  test("counts for its plan, replaces what it asked before, and is met by nobody where a name is unknown", async ({
    world,
  }) => {
    const { sql, orgId, ada, ben, eve } = world;
    const [role] = await sql`select name from roles where id = ${world.reviewers}`;
    const { id, plan } = await world.planned(await world.stack());
    const ask = (...from: string[]) =>
      unitOfWork(world.service, ({ tx }) =>
        requireApprovals(tx, { orgId, deploymentId: id, planRunId: plan }, "policy", [
          { name: "costs", reason: "over 100 a month", count: 1, from },
        ]),
      );
    await ask("nobody", "group:none", "service_account:none");
    await world.approve(id, plan, ada);
    expect(await world.decide(id, "confirm", APPLY, eve)).toMatchObject({
      detail:
        "It needs 1 more approval by group none (unknown) or role nobody (unknown) or service account none (unknown) (policy costs, 0 of 1 given: over 100 a month). Nobody who could is left: somebody with (stack, break_glass) can apply it without.",
    });
    await ask(`role:${role?.name}`);
    expect(await world.missing(id)).toBeNull();
    await world.decide(id, "confirm", { action: "replan" }, ben);
    await world.endPlan(id);
    expect(await world.missing(id)).toBeNull();
    expect(await world.outcome(id, "confirm", APPLY, eve)).toBe("done");
  });
});

test("a plan destroys something, by what the service says and by what the database says", async ({ world }) => {
  const number = fc.constantFrom(0, 0, 0, 1, 7);
  const NAMES = ["add", "change", "destroy", "replace", "import", "forget", "move"] as const;
  const counts = fc.record(Object.fromEntries(NAMES.map((name) => [name, number])), { requiredKeys: ["add"] });
  const summary = fc.option(
    fc.record(
      {
        has_changes: fc.boolean(),
        counts: fc.option(counts, { freq: 5 }),
        gaps: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(fc.string(), { maxLength: 2 })),
      },
      { requiredKeys: ["has_changes"] },
    ),
    { freq: 9 },
  );
  const cases = fc.sample(fc.record({ mode: fc.constantFrom("plan", "plan", "destroy", "refresh"), summary }), 400);
  const rows = await world.sql`
    select is_destructive(c ->> 'mode', nullif(c -> 'summary', 'null')) as destroys
    from jsonb_array_elements(${world.sql.json(cases.map(({ mode, summary: s }) => ({ mode, summary: s ?? null })) as never)}) c`;
  const ours = cases.map((one) => isDestructive(one.mode, one.summary as never));
  expect(rows.map(({ destroys }, at) => [cases[at], destroys])).toEqual(ours.map((yes, at) => [cases[at], yes]));
  expect(new Set(ours).size).toBe(2);
});
