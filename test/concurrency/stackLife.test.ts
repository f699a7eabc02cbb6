/**
 * A stack's life against everything that works on it: hold, release, policies and deletion meet claims, reports and
 * decisions.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { passDeploymentDeadline } from "../../src/core/deployments/transitions/deploymentDeadline.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { deleteStack } from "../../src/core/stackLife/deleteStack.ts";
import { holdStack, releaseStack } from "../../src/core/stackLife/hold.ts";
import { updateStack } from "../../src/core/stackLife/updateStack.ts";
import { connect } from "../../src/platform/db/client.ts";
import { sqlState } from "../../src/platform/db/sqlState.ts";
import { ProblemError } from "../../src/platform/problems/problem.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import {
  claim,
  create,
  decide,
  makeOrg,
  makeStack,
  type TestOrg,
  type TestService,
  testService,
  uploadPlan,
} from "../support/fixtures.ts";
import { poll } from "../support/lifecycle.ts";

let database: TestDatabase;
let services: TestService[];
let org: TestOrg;
let worked = 0;
beforeAll(async () => {
  database = await freshDatabase({ max: 10 });
  const other = connect(database.url, { max: 10, name: "other" });
  services = [testService(database), { ...testService(database), db: other }];
  org = await makeOrg(database);
});
afterAll(async () => {
  // Else the races had no runner in them.
  expect(worked).toBeGreaterThan(60);
  await services[1]?.db.$client.end();
  await database.close();
});

const any = (index: number) => services[index % 2] as TestService;
const subject = () =>
  ({ kind: "service_account", id: "01a1f77a-0000-7000-8000-00000000cafe", orgId: org.orgId, tokenId: null }) as const;
const GIT = { allowProtocols: ["https"] };

/** A stack with a deployment that waits for a person and three behind it. */
async function busyStack(settings: Record<string, unknown> = {}) {
  const key = await makeStack(database, org.orgId, settings);
  const holder = await create(any(0), key);
  const { runId, runnerId } = await claim(database, org, holder);
  await acceptRun(any(0), runId, runnerId);
  await uploadPlan(database, runId);
  await reportDone(any(0), runId, runnerId, { status: "success" });
  const queued: string[] = [];
  for (let i = 0; i < 3; i++) queued.push(await create(any(i), key));
  return { key, holder, queued, all: [holder, ...queued] };
}

/**
 * Claims what becomes pending meanwhile, accepts it and reports its end, as a runner that knows nothing of the rest.
 */
async function work(service: TestService): Promise<void> {
  for (let polls = 0; polls < 12; polls++) {
    const run = await poll({ service }, org).catch(() => null);
    if (run === null) continue;
    const accepted = await acceptRun(service, run.runId, run.runnerId);
    if (accepted.outcome !== "accepted") continue;
    worked += 1;
    await reportDone(service, run.runId, run.runnerId, { status: "failure", exit_code: 1 });
  }
}

/** Starts all at once, in an order of its own each round; only refusals of the product may come back. */
async function meet(round: number, calls: (() => Promise<unknown>)[]): Promise<void> {
  const order = calls.map((call, i) => ({ call, at: (i * 7 + round * 5) % calls.length })).sort((a, b) => a.at - b.at);
  const ends = await Promise.allSettled(order.map(({ call }) => call()));
  for (const end of ends) {
    if (end.status === "fulfilled" || (end.reason instanceof ProblemError && end.reason.status < 500)) continue;
    throw new Error(`a call failed with ${sqlState(end.reason) ?? end.reason}`, { cause: end.reason });
  }
}

/** What must hold of a stack whenever nobody is in the middle of something. */
async function expectSound(key: string): Promise<void> {
  const { sql } = database;
  const [stack] = await sql`select * from stacks where stack_key = ${key}`;
  const rows = await sql`select id, status, skipped_reason, completed_at from deployments where stack_key = ${key}`;
  const live = rows.filter((row) => row.completed_at === null);
  const queued = live.filter((row) => row.status === "queued");
  const holders = live.filter((row) => row.status !== "queued");
  expect(holders.length).toBeLessThanOrEqual(1);
  if (stack?.deleted_at !== null) expect(live).toEqual([]);
  else if (stack.held_at === null && queued.length > 0) expect(holders).toHaveLength(1);
  const latest = rows.find((row) => row.id === stack?.latest_deployment_id);
  expect(stack?.latest_deployment_status).toBe(latest?.status);
  for (const { id, status } of rows) {
    const runs = await sql`select status from runs where deployment_id = ${id} and completed_at is null`;
    expect([id, status, runs.length <= (live.some((row) => row.id === id) ? 1 : 0)]).toEqual([id, status, true]);
    const ends = await sql`
      select name from domain_events where deployment_id = ${id} and name in ('deployment_succeeded', 'deployment_failed',
        'deployment_cancelled', 'deployment_skipped', 'deployment_auto_skipped')`;
    expect([id, status, ends.length]).toEqual([id, status, live.some((row) => row.id === id) ? 0 : 1]);
  }
}

test("hold and release meet claims, confirms, skips and newer plans, 60 rounds", { timeout: 120_000 }, async () => {
  for (let round = 0; round < 60; round++) {
    const { key, holder, queued, all } = await busyStack({ supersede_age_ms: 1 });
    const at = any(round);
    await meet(round, [
      () => holdStack(any(0), subject(), key, `round ${round}`),
      () => releaseStack(any(1), subject(), key),
      () => decide(at, database, holder, "confirm", { action: "apply" }),
      () => decide(at, database, holder, "confirm", { action: "replan", targets: ["a.b"] }),
      () => decide(at, database, queued[0] as string, "skip"),
      () => create(at, key),
      () => work(any(0)),
      () => holdStack(any(1), subject(), key, "again"),
      ...all.map((id) => () => passDeploymentDeadline(any(round + 1), id)),
      () => releaseStack(any(0), subject(), key),
      () => work(any(1)),
    ]);
    await expectSound(key);
    await releaseStack(at, subject(), key);
    await expectSound(key);
    await deleteStack(at, subject(), key, true);
  }
});

test("policies that change meet the deadlines they change, 40 rounds", { timeout: 120_000 }, async () => {
  for (let round = 0; round < 40; round++) {
    const { key, all } = await busyStack({ queued_timeout_ms: 3_600_000 });
    const policy = (queuedMs: number | null, confirmationMs: number | null) => () =>
      updateStack(any(round), GIT, subject(), key, { queued_timeout: queuedMs, confirmation_timeout: confirmationMs });
    await meet(round, [
      policy(1, null),
      ...all.map((id) => () => passDeploymentDeadline(any(0), id)),
      policy(null, 1),
      ...all.map((id) => () => passDeploymentDeadline(any(1), id)),
      policy(3_600_000, null),
      () => work(any(round)),
    ]);
    await expectSound(key);
    await deleteStack(any(0), subject(), key, true);
  }
});

test("deletion meets creates, claims, reports, confirms and its own repeat, 60 rounds", {
  timeout: 120_000,
}, async () => {
  for (let round = 0; round < 60; round++) {
    const { key, holder, queued } = await busyStack();
    const [before] = await database.sql`select slug from stacks where stack_key = ${key}`;
    const at = any(round);
    await meet(round, [
      () => deleteStack(any(0), subject(), key, round % 2 === 0),
      () => create(at, key),
      () => decide(at, database, holder, "confirm", { action: "apply" }),
      () => work(any(1)),
      () => decide(at, database, queued[0] as string, "cancel"),
      () => decide(at, database, queued[1] as string, "prioritize"),
      () => releaseStack(at, subject(), key),
      () => updateStack(at, GIT, subject(), key, { name: `renamed ${key}` }),
      () => deleteStack(any(1), subject(), key, true),
      () => passDeploymentDeadline(at, holder),
    ]);
    await expectSound(key);
    const [gone] = await database.sql`select deleted_at from stacks where stack_key = ${key}`;
    expect(gone?.deleted_at).not.toBeNull();
    const reborn = await makeStack(database, org.orgId, { slug: before?.slug, name: before?.slug });
    await create(at, reborn);
    await work(at);
    await expectSound(reborn);
    await expectSound(key);
  }
});
