/**
 * Approvals against a model of them: whatever reviews, replans, confirmations, changes of roles and expiries come in
 * whatever order, a plan is applied with the approvals that count at that moment, or not at all.
 */
import fc from "fast-check";
import { expect } from "vitest";
import { missingApprovals } from "../../src/core/approvals/gate.ts";
import { waitingPlan } from "../../src/core/deployments/possible.ts";
import { passDeploymentDeadline } from "../../src/core/deployments/transitions/deploymentDeadline.ts";
import type { Actor } from "../../src/work/domainEvent.ts";
import { approvalWorld } from "../support/approvalsTest.ts";
import { makeOrg, makeStack } from "../support/fixtures.ts";
import { CHANGES, NONE, test as plain } from "../support/transitionsTest.ts";

const WHO = ["author", "creator", "ada", "ben", "bot", "robot"] as const;
type Who = (typeof WHO)[number];
/** Ben and his accounts, in the order in which one of them counts. */
const BENS: readonly Who[] = ["ben", "bot", "robot"];
const DESTROYS = { has_changes: true, counts: { ...NONE, destroy: 1 }, gaps: [] };

type Step =
  | { do: "review"; who: Who; verdict: "approve" | "reject"; stale: boolean }
  | { do: "replan"; who: Who; destroys: boolean }
  | { do: "confirm"; who: Who }
  | { do: "role"; who: Who; has: boolean }
  | { do: "member"; who: Exclude<Who, "bot" | "robot">; is: boolean }
  | { do: "rule"; count: number; destructive: boolean }
  | { do: "expire" };

const who = fc.constantFrom(...WHO);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("review" as const),
      who,
      verdict: fc.constantFrom("approve", "approve", "reject" as const),
      stale: fc.nat(6).map((n) => n === 0),
    }) as fc.Arbitrary<Step>,
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("replan" as const), who, destroys: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("confirm" as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("role" as const), who, has: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("member" as const),
      who: fc.constantFrom("author", "creator", "ada", "ben"),
      is: fc.boolean(),
    }) as fc.Arbitrary<Step>,
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("rule" as const),
      count: fc.integer({ min: 1, max: 3 }),
      destructive: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("expire" as const) }) },
);

const test = plain.extend("world", { scope: "file" }, async ({ database, service }) => {
  const org = await makeOrg(database);
  const world = approvalWorld(database, service, org);
  // Where nobody reviews, they still read.
  const role = await world.role("read", "review");
  const people = {
    author: await world.person({ login: "octo-author" }),
    creator: await world.person(),
    ada: await world.person(),
    ben: await world.person(),
    bot: await world.account(),
    robot: await world.account(),
  } satisfies Record<Who, Actor>;
  await world.mint(people.bot, people.ben);
  await world.mint(people.robot, people.ben);
  const rule = await world.rule();
  return { ...world, org, role, people, rule };
});

/** What should be, kept beside the rows. */
class Model {
  count = 1;
  destructive = false;
  destroys = false;
  readonly holders = new Set<Who>(WHO);
  readonly members = new Set<Who>(WHO);
  makers = new Set<Who>(["author", "creator"]);
  reviews = new Map<Who, "approve" | "reject">();

  may(who: Who): boolean {
    return this.holders.has(who) && this.members.has(who);
  }

  /** What ben mints may be ben, and the other way round. */
  isMaker(who: Who): boolean {
    return this.makers.has(who) || (BENS.includes(who) && BENS.some((one) => this.makers.has(one)));
  }

  get given(): Who[] {
    const approving = WHO.filter((who) => this.reviews.get(who) === "approve" && this.may(who) && !this.isMaker(who));
    const first = BENS.find((one) => approving.includes(one));
    return approving.filter((who) => who === first || !BENS.includes(who));
  }

  get missing(): boolean {
    return (!this.destructive || this.destroys) && this.given.length < this.count;
  }

  get rejected(): boolean {
    return WHO.some((who) => this.reviews.get(who) === "reject" && this.may(who));
  }

  get blocked(): boolean {
    return this.missing || this.rejected;
  }
}

test("the same as the model, whatever happens in whatever order", { timeout: 120_000 }, async ({
  world,
  database,
  service,
}) => {
  const { sql, people, role, rule } = world;

  async function setRule({ count, destructive }: Pick<Model, "count" | "destructive">): Promise<void> {
    const approvers = { roles: [role], groups: [], service_accounts: [people.bot.id, people.robot.id] };
    await sql`update approval_rules set count = ${count}, destructive = ${destructive}, approvers = ${sql.json(approvers)},
      deadline_ms = 3600000 where id = ${rule}`;
  }

  async function tell(steps: Step[]): Promise<void> {
    const model = new Model();
    await setRule(model);
    for (const each of WHO) {
      await world.take(people[each], role);
      await world.give(people[each], role);
    }
    await sql`update memberships set expires_at = null where org_id = ${world.orgId}`;
    const made = await world.planned(await makeStack(database, world.orgId), {
      actor: people.creator,
      commitAuthor: "Octo-Author",
    });
    const { id } = made;
    const plans = [made.plan];
    for (const each of steps) {
      const plan = plans.at(-1)!;
      switch (each.do) {
        case "review": {
          const named = each.stale && plans.length > 1 ? plans[0]! : plan;
          const outcome = await world.outcome(
            id,
            "review",
            { verdict: each.verdict, plan_run_id: named },
            people[each.who],
          );
          const own = each.verdict === "approve" && model.isMaker(each.who);
          expect(outcome).toBe(named !== plan ? "plan_changed" : own ? "own_change" : "done");
          if (outcome === "done") model.reviews.set(each.who, each.verdict);
          break;
        }
        case "replan":
          expect(await world.outcome(id, "confirm", { action: "replan" }, people[each.who])).toBe("done");
          plans.push(await world.endPlan(id, each.destroys ? DESTROYS : CHANGES));
          model.destroys = each.destroys;
          model.makers.add(each.who);
          model.reviews = new Map();
          break;
        case "confirm": {
          const outcome = await world.outcome(id, "confirm", { action: "apply" }, people[each.who]);
          expect(outcome).toBe(model.blocked ? "approvals_missing" : "done");
          if (outcome === "done") {
            const [run] = await sql`select plan_run_id from runs where deployment_id = ${id} and kind = 'apply_run'`;
            expect(run?.plan_run_id).toBe(plan);
            return;
          }
          break;
        }
        case "role":
          await world.take(people[each.who], role);
          if (each.has) await world.give(people[each.who], role);
          model.holders[each.has ? "add" : "delete"](each.who);
          break;
        case "member":
          await sql`update memberships set expires_at = ${each.is ? null : sql`svc_now()`} where user_id = ${people[each.who].id}`;
          model.members[each.is ? "add" : "delete"](each.who);
          break;
        case "rule":
          Object.assign(model, { count: each.count, destructive: each.destructive });
          await setRule(each);
          break;
        case "expire": {
          await sql`update deployments set waiting_since = svc_now() - interval '2 hours' where id = ${id}`;
          await passDeploymentDeadline(service, id);
          await sql`update deployments set waiting_since = svc_now() where id = ${id} and status = 'waiting'`;
          // A rejection is a person's word, not something that is late.
          expect(await world.status(id)).toBe(model.missing ? "skipped" : "waiting");
          if (model.missing) return;
        }
      }
      const lane = await world.lane(id);
      const found = missingApprovals(lane.approvals, "plan", waitingPlan(lane.runs)?.plan_summary ?? null);
      const stored = await world.missing(id);
      expect([found !== null, found]).toEqual([model.blocked, stored]);
      const ids = (names: Who[]) => names.map((name) => people[name].id).sort();
      const given = (lane.approvals?.required ?? []).flatMap((asked) => asked.given.map((one) => one.id)).sort();
      expect(given).toEqual(ids(model.given));
    }
    await world.decide(id, "skip", {}, people.ada);
  }

  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), tell), {
    numRuns: 15,
    endOnFailure: true,
  });
});

test("reviews, a replan and confirmations at once leave no plan applied without its own approvals", {
  timeout: 60_000,
}, async ({ world, database }) => {
  const { sql, people, role, rule } = world;
  await sql`update approval_rules set count = 2, destructive = false, approvers = ${sql.json({ roles: [role], groups: [], service_accounts: [] })} where id = ${rule}`;
  await sql`update memberships set expires_at = null where org_id = ${world.orgId}`;
  for (const each of WHO) {
    await world.take(people[each], role);
    await world.give(people[each], role);
  }
  const seen = new Set<string>();
  for (let round = 0; round < 8; round++) {
    const { id, plan } = await world.planned(await makeStack(database, world.orgId));
    const later = async <T>(act: () => Promise<T>): Promise<T> => {
      await sql`select pg_sleep(${((round * 7) % 12) / 1_000})`;
      return act();
    };
    await Promise.all([
      world.approve(id, plan, people.ada),
      world.approve(id, plan, people.ben),
      later(() => world.decide(id, "confirm", { action: "apply" }, people.creator)),
      later(() => world.decide(id, "confirm", { action: "apply" }, people.author)),
      round % 2 === 0 && later(() => world.decide(id, "confirm", { action: "replan" }, people.author)),
      round % 3 === 0 && later(() => world.take(people.ben, role).then(() => world.give(people.ben, role))),
    ]);
    const status = await world.status(id);
    seen.add(status);
    const [run] = await sql`select plan_run_id from runs where deployment_id = ${id} and kind = 'apply_run'`;
    const [count] =
      await sql`select count(distinct reviewer_id)::int as n from deployment_reviews where plan_run_id = ${run?.plan_run_id ?? null} and verdict = 'approve'`;
    if (status === "applying") expect([run?.plan_run_id, count?.n]).toEqual([plan, 2]);
    else expect(run).toBeUndefined();
    await world.decide(id, "cancel", {}, people.ada);
  }
  expect([...seen].every((status) => ["applying", "waiting", "pending"].includes(status))).toBe(true);
});
