/** The product's own transitions over a database whose clock only the bench moves, for one organization. */
import { randomUUID } from "node:crypto";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { createDeployment } from "../../src/core/deployments/transitions/create.ts";
import { carryOutDecision, type DecisionAnswer } from "../../src/core/deployments/transitions/decide.ts";
import { passDeploymentDeadline } from "../../src/core/deployments/transitions/deploymentDeadline.ts";
import { acknowledgeCancel, reportDone } from "../../src/core/deployments/transitions/report.ts";
import { passRunDeadline } from "../../src/core/deployments/transitions/runDeadline.ts";
import { claimRun } from "../../src/core/dispatch/claim.ts";
import type { Claimant } from "../../src/core/dispatch/types.ts";
import type { DoneBody } from "../../src/core/runs/protocol.ts";
import { holdStack, releaseStack } from "../../src/core/stackLife/hold.ts";
import type { Subject } from "../../src/http/principal.ts";
import { createMetrics } from "../../src/platform/telemetry/metrics.ts";
import type { Service } from "../../src/work/service.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { COMMIT, insertGroup, insertOrg, insertStacks } from "../harness/rows.ts";
import { CHANGES, FAILED, NO_CHANGES } from "../harness/runner.ts";
import type { BenchDatabase } from "../harness/servers.ts";
import { type DecisionName, LIMITS, type Mode, type ModelStack, type Report } from "./rules.ts";

const ACTOR = { id: randomUUID(), kind: "service_account" } as const;
const PERSON = ACTOR as unknown as Subject;
const METRICS = createMetrics();
/** The product keeps them whatever becomes of the model's. */
const TIMEOUTS = { ...LIMITS };
const BODIES: Record<Report, DoneBody> = {
  changes: CHANGES,
  nothing: NO_CHANGES,
  failure: FAILED,
  cancelled: { status: "cancelled", exit_code: null },
};
const DECISIONS: Record<DecisionName, [kind: string, args: object]> = {
  confirm: ["confirm", { action: "apply" }],
  replan: ["confirm", { action: "replan" }],
  confirm_skip: ["confirm", { action: "skip" }],
  skip: ["skip", {}],
  cancel: ["cancel", {}],
  force: ["cancel", { force: true }],
  prioritize: ["prioritize", {}],
  deprioritize: ["deprioritize", {}],
};

export class World {
  readonly #sql: BenchDatabase["sql"];
  readonly #service: Service;
  readonly #org: Claimant;
  readonly #stacks: readonly string[];
  readonly #deployments: string[] = [];
  /** Who claimed what, by the number of the claim. */
  readonly #claims: { runId: string; runnerId: string }[] = [];
  readonly #decisions: string[] = [];

  private constructor({ sql, db }: BenchDatabase, org: Claimant, stacks: readonly string[]) {
    const nobody = () => {};
    this.#sql = sql;
    this.#service = { db, timeouts: TIMEOUTS, sendSoon: nobody, runsPending: nobody, audit: nobody };
    this.#org = org;
    this.#stacks = stacks;
  }

  /** An organization of its own. The clock of the database goes on from where it stands. */
  static async open(database: BenchDatabase, stacks: readonly ModelStack[]): Promise<World> {
    const { sql } = database;
    const orgId = await insertOrg(sql);
    const { groupId, fingerprint } = await insertGroup(sql, orgId);
    const keys: string[] = [];
    for (const { queuedMs, confirmationMs } of stacks) {
      const policy = { queued_timeout_ms: queuedMs, confirmation_timeout_ms: confirmationMs };
      keys.push((await insertStacks(sql, orgId, 1, policy))[0]?.stack_key as string);
    }
    return new World(database, { orgId, groupId, fingerprint }, keys);
  }

  async create(stack: number, mode: Mode): Promise<string> {
    const input = {
      stackKey: this.#stacks[stack] as string,
      source: { asked: { repository_url: "https://git.example/r.git", branch: "main" } },
      mode,
      commitSha: COMMIT,
      originType: "manual",
      provenance: "branch",
      actor: ACTOR,
    } as const;
    this.#deployments.push((await unitOfWork(this.#service, (work) => createDeployment(work, input))).id);
    return "created";
  }

  /** @returns whose run it was, by the number of the deployment; null where there was none */
  async claim(): Promise<number | null> {
    const limits = { rateLimit: false, maxPerOrg: undefined };
    const claimed = await claimRun({ service: this.#service, limits, metrics: METRICS }, this.#org, () => false);
    if (claimed.outcome === "nothing") return null;
    if (claimed.outcome !== "claimed") throw new Error(`the claim was ${claimed.outcome}`);
    const { runId, runnerId } = claimed.run;
    this.#claims.push({ runId, runnerId });
    const [row] = await this.#sql`select deployment_id as id from runs where id = ${runId}`;
    return this.#deployments.indexOf(row?.id);
  }

  async accept(deployment: number, by: number): Promise<string> {
    const answer = await acceptRun(this.#service, await this.#lastRun(deployment), this.#runner(by));
    return answer.outcome === "accepted" ? "accepted" : (answer.code ?? "refused");
  }

  async done(deployment: number, by: number, report: Report): Promise<string> {
    const runId = await this.#lastRun(deployment);
    const sha = "ab".repeat(32);
    await this.#sql`
      insert into artifacts (run_id, kind, object_key, size, sha256) select id, 'plan', 'k', 1, ${sha} from runs
      where id = ${runId} and completed_at is null and kind <> 'apply_run' on conflict do nothing`;
    const answer = await reportDone(this.#service, runId, this.#runner(by), BODIES[report]);
    return answer.outcome === "stored" ? "stored" : (answer.code ?? "refused");
  }

  async acknowledge(deployment: number, by: number): Promise<string> {
    const answer = await acknowledgeCancel(this.#service, await this.#lastRun(deployment), this.#runner(by));
    return answer.outcome === "stored" ? "stored" : (answer.code ?? "refused");
  }

  async decide(deployment: number, name: DecisionName, samePlan: boolean): Promise<string> {
    const [kind, args] = DECISIONS[name];
    const plan = samePlan ? {} : { plan_run_id: randomUUID() };
    const [row] = await this.#sql`
      insert into decisions (org_id, deployment_id, kind, principal_id, principal_kind, arguments, expires_at)
      values (${this.#org.orgId}, ${this.#deployments[deployment] as string}, ${kind}, ${ACTOR.id}, ${ACTOR.kind},
        ${this.#sql.json({ ...args, ...plan })}, svc_now() + interval '10 years') returning id`;
    this.#decisions.push(row?.id);
    return this.#answer(row?.id);
  }

  /** What a process does that was killed before its answer: the newest decisions again. Nothing may come of it. */
  async repeat(): Promise<void> {
    for (const id of this.#decisions.slice(-3)) await this.#answer(id);
  }

  async hold(stack: number, held: boolean): Promise<string> {
    const key = this.#stacks[stack] as string;
    if (held) await holdStack(this.#service, PERSON, key, "a look");
    else await releaseStack(this.#service, PERSON, key);
    return "done";
  }

  async runTimer(deployment: number): Promise<string> {
    await passRunDeadline(this.#service, await this.#lastRun(deployment));
    return "passed";
  }

  async deploymentTimer(deployment: number): Promise<string> {
    await passDeploymentDeadline(this.#service, this.#deployments[deployment] as string);
    return "passed";
  }

  /** As `stateOf` says it of the model. */
  async state(): Promise<string[]> {
    const stacks = await this.#sql`select stack_key, held_at from stacks where org_id = ${this.#org.orgId}`;
    const rows = await this.#sql`
      select d.id, d.mode, d.status, d.prioritized_at, (select string_agg(r.kind || ' ' || r.status || ' ' || r.assignment_attempts, ', '
        order by r.created_at, r.id) from runs r where r.deployment_id = d.id) as runs
      from deployments d where d.org_id = ${this.#org.orgId}`;
    const heldOf = new Map(stacks.map(({ stack_key, held_at }) => [stack_key, held_at !== null]));
    const byId = new Map(rows.map((row) => [row.id, row]));
    return [
      ...this.#stacks.map((key, at) => `stack ${at} ${heldOf.get(key) ? "held" : "free"}`),
      ...this.#deployments.map((id, at) => {
        const { mode, status, prioritized_at, runs } = byId.get(id) ?? {};
        return `${at} ${mode} ${status}${prioritized_at === null ? "" : " first"}: ${runs}`;
      }),
    ];
  }

  async #answer(decisionId: string): Promise<string> {
    await carryOutDecision(this.#service, decisionId, "api");
    const [row] = await this.#sql<{ answer: DecisionAnswer }[]>`select answer from decisions where id = ${decisionId}`;
    const answer = row?.answer;
    return answer?.outcome === "conflict" ? answer.code : String(answer?.outcome);
  }

  async #lastRun(deployment: number): Promise<string> {
    const [row] = await this.#sql`
      select id from runs where deployment_id = ${this.#deployments[deployment] as string} order by created_at desc, id desc limit 1`;
    return row?.id;
  }

  #runner(claim: number): string {
    return this.#claims[claim - 1]?.runnerId ?? randomUUID();
  }
}

/** Time stands still but for this. */
export async function moveClock({ sql }: BenchDatabase, ms: number): Promise<void> {
  await sql`update bench_clock set at = at + ${ms} * interval '1 millisecond'`;
}

export async function installClock({ sql }: BenchDatabase): Promise<void> {
  await sql`create table bench_clock (at timestamptz not null)`;
  await sql`insert into bench_clock values (clock_timestamp())`;
  await sql.unsafe(`create or replace function svc_now() returns timestamptz language sql volatile parallel safe
    as 'select at from public.bench_clock'`);
}
