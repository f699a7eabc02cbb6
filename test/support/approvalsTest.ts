/** People who review, rules that ask them, and plans that wait for their word: on real Postgres, without HTTP. */
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { Approvers } from "../../src/core/approvals/schema.ts";
import { type Lane, lockLane } from "../../src/core/deployments/lane.ts";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import type { NewDeployment } from "../../src/core/deployments/transitions/create.ts";
import { carryOutDecision, type DecisionAnswer } from "../../src/core/deployments/transitions/decide.ts";
import type { DecisionArguments } from "../../src/core/deployments/transitions/decisionArguments.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import type { Actor } from "../../src/work/domainEvent.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import type { DecisionKind } from "../../workflows/contract.ts";
import type { TestDatabase } from "./database.ts";
import { claim, create, type TestOrg, type TestService, uploadPlan } from "./fixtures.ts";
import { CHANGES } from "./transitionsTest.ts";

const ANYBODY: Approvers = { roles: [], groups: [], service_accounts: [] };

export type Rule = {
  selector: Record<string, string>;
  modes: string[];
  previews: boolean;
  destructive: boolean;
  count: number;
  approvers: Partial<Approvers>;
  deadline_ms: number | null;
  remind_ms: number | null;
};

export function approvalWorld(database: TestDatabase, service: TestService, org: TestOrg) {
  const { sql } = database;
  const { orgId } = org;

  async function role(...actions: string[]): Promise<string> {
    const [made] = await sql`insert into roles (org_id, name) values (${orgId}, ${randomUUID()}) returning id`;
    for (const action of actions)
      await sql`insert into role_permissions (role_id, resource_type, action) values (${made?.id}, 'stack', ${action})`;
    return made?.id;
  }

  async function person({ login = randomUUID() as string, roles = [] as string[], name = null as string | null } = {}) {
    const id = `codehost:${login}:1`;
    await sql`insert into users (id, provider_key, issuer, subject, login, display_name) values (${id}, 'codehost', '', ${id}, ${login}, ${name})`;
    await sql`insert into memberships (org_id, user_id) values (${orgId}, ${id})`;
    const actor: Actor = { id, kind: "user" };
    for (const each of roles) await give(actor, each);
    return actor;
  }

  async function account({ roles = [] as string[], minter = null as Actor | null } = {}): Promise<Actor> {
    const [made] =
      await sql`insert into service_accounts (org_id, name) values (${orgId}, ${randomUUID()}) returning id`;
    const actor: Actor = { id: made?.id, kind: "service_account" };
    for (const each of roles) await give(actor, each);
    if (minter) await mint(actor, minter);
    return actor;
  }

  async function mint(of: Actor, minter: Actor): Promise<void> {
    await sql`insert into service_account_tokens (service_account_id, name, token_sha256, created_by, permissions, expires_at)
      values (${of.id}, 't', sha256(convert_to(${randomUUID()}, 'UTF8')), ${minter.id}, '[]', svc_now() + interval '1 hour')`;
  }

  async function give({ id, kind }: Actor, roleId: string): Promise<void> {
    const holder = kind === "user" ? { user_id: id } : { service_account_id: id };
    await sql`insert into role_assignments ${sql({ org_id: orgId, role_id: roleId, ...holder })}`;
  }

  async function take({ id, kind }: Actor, roleId: string): Promise<void> {
    const column = kind === "user" ? "user_id" : "service_account_id";
    await sql`delete from role_assignments where role_id = ${roleId} and ${sql(column)} = ${id}`;
  }

  async function rule(given: Partial<Rule> = {}): Promise<string> {
    const { approvers, selector = {}, ...settings } = given;
    const row = {
      ...{
        modes: ["plan", "destroy", "refresh"],
        previews: false,
        destructive: false,
        count: 1,
        deadline_ms: null,
        remind_ms: null,
      },
      ...settings,
      ...{ org_id: orgId, name: randomUUID() },
      ...{ selector: sql.json(selector), approvers: sql.json({ ...ANYBODY, ...approvers }) },
    };
    const [made] = await sql`insert into approval_rules ${sql(row)} returning id`;
    return made?.id;
  }

  /** Its pending plan runs to its end. */
  async function endPlan(id: string, summary: unknown = CHANGES): Promise<string> {
    const { runId, runnerId } = await claim(database, org, id);
    expect(await acceptRun(service, runId, runnerId)).toEqual({ outcome: "accepted" });
    await uploadPlan(database, runId);
    expect(await reportDone(service, runId, runnerId, { status: "success", plan_summary: summary })).toEqual({
      outcome: "stored",
    });
    return runId;
  }

  async function planned(
    stackKey: string,
    { summary = CHANGES as unknown, ...input }: Partial<NewDeployment> & { summary?: unknown } = {},
  ) {
    const id = await create(service, stackKey, { actor: null, ...input });
    return { id, plan: await endPlan(id, summary) };
  }

  async function decide(id: string, kind: DecisionKind, args: DecisionArguments, by: Actor): Promise<DecisionAnswer> {
    const [row] = await sql`
      insert into decisions (org_id, deployment_id, kind, principal_id, principal_kind, arguments, expires_at)
      values (${orgId}, ${id}, ${kind}, ${by.id}, ${by.kind}, ${sql.json(args)}, svc_now() + interval '10 seconds') returning id`;
    await carryOutDecision(service, row?.id, "api");
    const [answered] = await sql`select answer from decisions where id = ${row?.id}`;
    return answered?.answer;
  }

  return {
    ...{ sql, orgId, role, person, account, mint, give, take, rule, endPlan, planned, decide },
    /** `conflict`'s code, or `done`. */
    outcome: async (...of: Parameters<typeof decide>): Promise<string> => {
      const answer = await decide(...of);
      return answer.outcome === "conflict" ? answer.code : answer.outcome;
    },
    approve: (id: string, plan: string | null, by: Actor) =>
      decide(id, "review", { verdict: "approve", ...(plan && { plan_run_id: plan }) }, by),
    reject: (id: string, plan: string, by: Actor) => decide(id, "review", { verdict: "reject", plan_run_id: plan }, by),
    lane: (id: string): Promise<Lane> => unitOfWork(service, async ({ tx }) => (await lockLane(tx, id))!),
    status: async (id: string): Promise<string> =>
      (await sql`select status from deployments where id = ${id}`)[0]?.status,
    missing: async (id: string) =>
      (await sql`select missing_approvals(d) as m from deployments d where id = ${id}`)[0]?.m,
    waitingFor: async (id: string, by: Actor): Promise<boolean> =>
      (await sql`select awaits_approval_by(d, ${by.kind}, ${by.id}) as yes from deployments d where id = ${id}`)[0]
        ?.yes,
  };
}
