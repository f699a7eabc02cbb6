/**
 * People's decisions through the deployment's workflow: each gets the one true answer
 * (docs/rules/transitions.md#a-decision-is-a-row).
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startProxy } from "../../bench/harness/proxy.ts";
import { submitDecision } from "../../src/core/deployments/submitDecision.ts";
import { connect } from "../../src/platform/db/client.ts";
import { workflowIds } from "../../workflows/ids.ts";
import { openCore, type TestCore } from "../support/core.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { ACTOR, create, makeOrg, makeStack, statuses, type TestOrg } from "../support/fixtures.ts";
import { historyFigures, historyText } from "../support/histories.ts";
import { deploymentSees, rowBecomes, untilWaiting } from "../support/lifecycle.ts";
import { freshNamespace, type TestTemporal, type TestWorker } from "../support/temporal.ts";
import { waitFor } from "../support/waitFor.ts";

let database: TestDatabase;
let temporal: TestTemporal;
let core: TestCore;
let org: TestOrg;
beforeAll(async () => {
  [database, temporal] = await Promise.all([freshDatabase({ max: 20 }), freshNamespace()]);
  core = openCore(database, temporal);
  org = await makeOrg(database);
});
afterAll(async () => {
  await core.close();
  await temporal.close();
  await database.close();
});

async function waitingDeployment(): Promise<string> {
  const deploymentId = await create(core.service, await makeStack(database, org.orgId));
  await untilWaiting(core, database, org);
  return deploymentId;
}

const confirm = { args: { action: "apply" } };

describe("with a worker", () => {
  let worker: TestWorker;
  beforeAll(async () => {
    worker = await core.startWorker();
  });
  afterAll(() => worker.stop());

  it("answers 50 confirms at once: one is done, 49 conflict", async () => {
    const deploymentId = await waitingDeployment();
    const decided = await Promise.all(Array.from({ length: 50 }, () => core.decide(deploymentId, "confirm", confirm)));
    expect(decided.map((decision) => decision.outcome)).toEqual(Array(50).fill("answered"));
    const outcomes = decided.map((decision) => decision.answer?.outcome);
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "conflict")).toHaveLength(49);
    const { runs, events } = await statuses(database, deploymentId);
    expect(runs).toEqual(["plan_run:success", "apply_run:pending"]);
    expect(events.filter((kind) => kind === "confirmed_apply")).toHaveLength(1);
    // Many at once overlap: the view must still be the newest.
    await deploymentSees(core, deploymentId, "applying");
    await core.decide(deploymentId, "cancel");
  });

  it("answers decisions of every kind at once, and none twice", async () => {
    const deploymentId = await waitingDeployment();
    const kinds = ["confirm", "skip", "cancel", "prioritize", "deprioritize", "confirmPreview"] as const;
    const sent = kinds.flatMap((kind) => Array.from({ length: 5 }, () => kind));
    const decided = await Promise.all(
      sent.map((kind) => core.decide(deploymentId, kind, kind === "confirm" ? confirm : {})),
    );
    for (const { outcome, answer } of decided) {
      // The workflow ended before it was asked, or before its answer was fetched, which the row then holds.
      if (outcome === "missing" && answer === null) continue;
      expect(answer?.outcome).toSatisfy((result) => result === "done" || result === "conflict");
    }
    const { deployment } = await statuses(database, deploymentId);
    expect(["skipped", "cancelled", "applying"]).toContain(deployment);
    if (deployment === "applying") await core.decide(deploymentId, "cancel");
    await waitFor(async () => !(await core.temporal.describe(workflowIds.deployment(deploymentId)))?.open, {
      what: "the workflow to end",
    });
  });

  it("answers the same decision again with what was decided", async () => {
    const deploymentId = await waitingDeployment();
    const first = await core.decide(deploymentId, "confirm", confirm);
    expect(await core.decider.decide(deploymentId, "confirm", first.id, 10_000)).toBe("answered");
    expect((await statuses(database, deploymentId)).runs).toEqual(["plan_run:success", "apply_run:pending"]);
    await core.decide(deploymentId, "cancel");
  });

  it("starts a missing workflow of a live deployment, and says so of a terminal one", async () => {
    const deploymentId = await waitingDeployment();
    await deploymentSees(core, deploymentId, "waiting");
    const handle = temporal.client.workflow.getHandle(workflowIds.deployment(deploymentId));
    await handle.terminate("by hand");
    expect(await core.decide(deploymentId, "skip")).toMatchObject({ outcome: "answered", answer: { outcome: "done" } });
    await waitFor(async () => !(await core.temporal.describe(handle.workflowId))?.open, { what: "its end" });
    expect(await core.decide(deploymentId, "skip")).toMatchObject({ outcome: "missing", answer: null });
  });

  it("finds an answer in a race with the end of the workflow, 20 times", async () => {
    for (let round = 0; round < 20; round++) {
      const deploymentId = await waitingDeployment();
      const [skip, cancel] = await Promise.all([
        core.decide(deploymentId, "skip"),
        core.decide(deploymentId, "cancel"),
      ]);
      const done = [skip, cancel].filter(({ answer }) => answer?.outcome === "done");
      const { deployment } = await statuses(database, deploymentId);
      expect(["skipped", "cancelled"]).toContain(deployment);
      // Cancel of what is cancelled is done too, without effect; nothing else may be done twice.
      expect(done.length).toBeGreaterThanOrEqual(1);
      for (const { outcome, answer } of [skip, cancel]) if (answer === null) expect(outcome).toBe("missing");
    }
  });

  it("refuses with a conflict what the end of the deployment overtook: 503 is for who cannot be asked", async () => {
    const kinds = ["skip", "cancel", "confirm", "prioritize"] as const;
    for (let round = 0; round < 3; round++) {
      const deploymentId = await waitingDeployment();
      const submit = (kind: (typeof kinds)[number]) =>
        submitDecision(
          core.service,
          core.decider,
          { orgId: org.orgId, deploymentId, kind, actor: ACTOR, arguments: { action: "skip" }, idempotency: null },
          10_000,
        );
      const settled = await Promise.allSettled(Array.from({ length: 16 }, (_, i) => submit(kinds[i % 4] as "skip")));
      const statuses = settled.map((one) => (one.status === "fulfilled" ? 200 : one.reason.status));
      expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
      expect(statuses).toContain(200);
    }
  });

  it("refuses what has expired", async () => {
    const deploymentId = await waitingDeployment();
    expect(await core.decide(deploymentId, "skip", { expiresMs: 0 })).toMatchObject({
      outcome: "answered",
      answer: { outcome: "expired" },
    });
    expect((await statuses(database, deploymentId)).deployment).toBe("waiting");
    await core.decide(deploymentId, "cancel");
  });
});

describe("without a worker", () => {
  it("is unavailable at its deadline, and is not carried out by a worker that comes later", async () => {
    const deploymentId = await waitingDeployment();
    const started = performance.now();
    const decided = await core.decide(deploymentId, "skip", { deadlineMs: 1_500, expiresMs: 1_500 });
    expect(decided).toMatchObject({ outcome: "unavailable", answer: null });
    expect(performance.now() - started).toBeLessThan(2_500);
    const worker = await core.startWorker();
    await waitFor(async () => (await database.sql`select answer from decisions where id = ${decided.id}`)[0]?.answer, {
      what: "the row to be closed",
    });
    const [row] = await database.sql`select answer from decisions where id = ${decided.id}`;
    expect(row?.answer).toEqual({ outcome: "expired" });
    expect((await statuses(database, deploymentId)).deployment).toBe("waiting");
    expect(await core.decide(deploymentId, "skip")).toMatchObject({ answer: { outcome: "done" } });
    await worker.stop();
  });

  it("is unavailable at its deadline when Temporal is out of reach", async () => {
    const [host, port] = temporal.address.split(":") as [string, string];
    const proxy = await startProxy({ host, port: Number(port) });
    const far = { ...temporal, address: `127.0.0.1:${proxy.port}` };
    const cutOff = openCore(database, far);
    const deploymentId = await waitingDeployment();
    for (const fault of ["cut", "stall"] as const) {
      proxy[fault]();
      const started = performance.now();
      expect(await cutOff.decide(deploymentId, "skip", { deadlineMs: 1_500 })).toMatchObject({
        outcome: "unavailable",
      });
      expect(performance.now() - started).toBeLessThan(3_000);
      proxy.mend();
    }
    const worker = await core.startWorker();
    expect(await cutOff.decide(deploymentId, "skip")).toMatchObject({ outcome: "answered" });
    await worker.stop();
    await cutOff.close();
    await proxy.close();
  });
});

describe("a worker that fails", () => {
  it("after the commit: the answer is the one that was committed", async () => {
    const deploymentId = await waitingDeployment();
    let failures = 0;
    const worker = await core.startWorker({
      wrap: (activities) => ({
        ...activities,
        async decide(...args) {
          const answer = await activities.decide(...args);
          if (failures++ === 0) throw new Error("the worker died here");
          return answer;
        },
      }),
    });
    expect(await core.decide(deploymentId, "confirm", confirm)).toMatchObject({
      outcome: "answered",
      answer: { outcome: "done" },
    });
    expect(failures).toBe(2);
    expect((await statuses(database, deploymentId)).runs).toEqual(["plan_run:success", "apply_run:pending"]);
    await core.decide(deploymentId, "cancel");
    await worker.stop();
  });

  it("in every activity, before and after its commit: nothing is done twice", async () => {
    const failed = new Set<string>();
    const once =
      <A extends unknown[], R>(name: string, activity: (...args: A) => Promise<R>) =>
      async (...args: A) => {
        if (!failed.has(`before ${name}`)) {
          failed.add(`before ${name}`);
          throw new Error("died before");
        }
        const answer = await activity(...args);
        if (!failed.has(`after ${name}`)) {
          failed.add(`after ${name}`);
          throw new Error("died after");
        }
        return answer;
      };
    const worker = await core.startWorker({
      wrap: (a) => ({
        ...a,
        readDeployment: once("readDeployment", a.readDeployment),
        decide: once("decide", a.decide),
        deploymentDeadline: once("deploymentDeadline", a.deploymentDeadline),
        readRun: once("readRun", a.readRun),
        runDeadline: once("runDeadline", a.runDeadline),
      }),
    });
    const stackKey = await makeStack(database, org.orgId, { confirmation_timeout_ms: 500 });
    const deploymentId = await create(core.service, stackKey);
    await untilWaiting(core, database, org);
    await rowBecomes(database, deploymentId, "skipped");
    const next = await create(core.service, stackKey);
    expect(await core.decide(next, "cancel")).toMatchObject({ answer: { outcome: "done" } });
    expect([...failed]).toEqual(
      expect.arrayContaining([
        "before decide",
        "after decide",
        "before deploymentDeadline",
        "after deploymentDeadline",
      ]),
    );
    const [log] = await database.sql`
      select count(*)::int as n from domain_events where deployment_id = ${deploymentId} and name = 'deployment_auto_skipped'`;
    expect(log?.n).toBe(1);
    await worker.stop();
  });
});

describe("a database that is away", () => {
  it.each(["cut", "stall"] as const)(
    "(%s) spins no workflow task, shows no query in the history, and is waited for",
    async (fault) => {
      const address = new URL(database.url);
      const proxy = await startProxy({ host: address.hostname, port: Number(address.port) });
      address.hostname = "127.0.0.1";
      address.port = String(proxy.port);
      const db = connect(address.href, { max: 5 });
      const throughProxy = openCore({ ...database, db }, temporal);
      const deploymentId = await waitingDeployment();
      const worker = await throughProxy.startWorker();
      await deploymentSees(core, deploymentId, "waiting");
      const workflowId = workflowIds.deployment(deploymentId);
      const before = await historyFigures(temporal.client, workflowId);
      proxy[fault]();
      await core.temporal.signal(workflowId, "reread");
      // The local activity is exhausted and the server has taken over its retries.
      await waitFor(async () => (await historyText(temporal.client, workflowId)).includes('"readDeployment"'), {
        what: "the regular activity",
        timeoutMs: 30_000,
      });
      // A spinning task would show within this window.
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      const during = await historyFigures(temporal.client, workflowId);
      expect(during.tasks - before.tasks).toBeLessThanOrEqual(2);
      proxy.mend();
      expect(await core.decide(deploymentId, "skip")).toMatchObject({
        outcome: "answered",
        answer: { outcome: "done" },
      });
      const text = await historyText(temporal.client, workflowId);
      expect(text).not.toMatch(/select|127\.0\.0\.1|postgres:/i);
      await worker.stop();
      await throughProxy.close();
      await proxy.close();
      await db.$client.end({ timeout: 1 });
    },
  );
});
