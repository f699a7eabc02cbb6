/** Rows and workflows that disagree, and how the reconciler heals them (docs/rules/workflows.md#the-reconciler). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ReconcileCounts, reconcile } from "../../src/orchestration/reconciler/reconcile.ts";
import { readIdentity } from "../../src/orchestration/temporal/namespace.ts";
import { deploymentStart, leaseStart } from "../../src/orchestration/temporal/starts.ts";
import { workflowIds } from "../../workflows/ids.ts";
import { openCore, type TestCore } from "../support/core.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { create, makeOrg, makeStack, type TestOrg, testService } from "../support/fixtures.ts";
import { accept, deploymentSees, leaseSees, poll, rowBecomes } from "../support/lifecycle.ts";
import { freshNamespace, type TestTemporal } from "../support/temporal.ts";
import { waitFor } from "../support/waitFor.ts";

let database: TestDatabase;
let temporal: TestTemporal;
let core: TestCore;
let org: TestOrg;
/** The same database, with a service whose messages reach nobody: as if Temporal had lost everything since. */
let unheard: ReturnType<typeof testService>;

beforeAll(async () => {
  database = await freshDatabase();
  org = await makeOrg(database);
});
afterAll(() => database.close());

/** Another namespace each time: what an emptied Temporal looks like. */
beforeEach(async () => {
  temporal = await freshNamespace();
  core = openCore(database, temporal);
  unheard = testService(database);
  await database.sql`delete from deployments`;
  await database.sql`delete from outbox`;
  await database.sql`delete from reconciler_sightings`;
  return async () => {
    await core.close();
    await temporal.close();
  };
});

const NONE: ReconcileCounts = { started: 0, poked: 0, restarted: 0, reread: 0, ended: 0, selectors_recomputed: 0 };
const pass = () => reconcile(core.service, core.temporal);

/** Until Temporal's list, which is behind the truth, holds this many open workflows. */
async function listed(n: number): Promise<void> {
  await waitFor(
    async () => {
      let open = 0;
      for await (const _ of core.temporal.listOpen(["deployment", "runLease"])) open++;
      return open === n;
    },
    { what: `${n} open workflows to be listed` },
  );
}

async function silentDeployment(): Promise<string> {
  const id = await create(unheard, await makeStack(database, org.orgId));
  await database.sql`delete from outbox`;
  return id;
}

const subject = (deploymentId: string) => ({
  orgId: org.orgId,
  stackKey: "s",
  deploymentId,
  mode: "plan",
  origin: "manual",
});

describe("a Temporal that lost everything", () => {
  it("gets a workflow for every live row, in pages, and none for others; a second pass changes nothing", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 12; i++) ids.push(await silentDeployment());
    const claimed = await poll({ service: unheard }, org);
    const accepted = await poll({ service: unheard }, org);
    await accept({ service: unheard }, accepted);
    await database.sql`delete from outbox`;
    const [ended] =
      await database.sql`update deployments set status = 'cancelled', completed_at = svc_now() where id = (
      select d.id from deployments d join runs r on r.deployment_id = d.id where r.status = 'pending' limit 1) returning id`;

    expect(await pass()).toEqual({ ...NONE, started: 13 });
    for (const id of ids) {
      const found = await core.temporal.describe(workflowIds.deployment(id));
      expect(found?.open ?? false).toBe(id !== ended?.id);
    }
    expect(await core.temporal.describe(workflowIds.lease(claimed.runId))).toMatchObject({ open: true });
    await listed(13);
    expect(await pass()).toEqual(NONE);
    await core.startWorker();
    await leaseSees(core, accepted.runId, "running");
    expect(await readIdentity(core.temporal)).toMatchObject({ clusterId: expect.any(String) });
    const [known] = await database.sql`select namespace_id from temporal_identity`;
    expect(known?.namespace_id).toBe((await readIdentity(core.temporal))?.namespaceId);
  });

  it("goes on from the stored status, whichever that is", async () => {
    const deploymentId = await silentDeployment();
    const run = await poll({ service: unheard }, org);
    await accept({ service: unheard }, run);
    await database.sql`update run_liveness set last_seen_at = svc_now() - interval '2 hours'`;
    await database.sql`delete from outbox`;
    await core.startWorker();
    await pass();
    await rowBecomes(database, deploymentId, "failed");
  });
});

describe("a row that is overdue", () => {
  /** A workflow that is open but deaf, since no worker runs it. */
  async function overdue(): Promise<{ deploymentId: string; workflowId: string }> {
    const deploymentId = await silentDeployment();
    const workflowId = workflowIds.deployment(deploymentId);
    await core.temporal.start(deploymentStart(subject(deploymentId)));
    await database.sql`update runs set first_pending_at = svc_now() - interval '3 days'`;
    await listed(1);
    return { deploymentId, workflowId };
  }

  it("is poked, then its workflow is started anew when that did not help", async () => {
    const { deploymentId, workflowId } = await overdue();
    const first = await core.temporal.describe(workflowId);
    expect(await pass()).toEqual({ ...NONE, poked: 1 });
    // Two passes close to each other: the poke has had no time to show.
    expect(await pass()).toEqual({ ...NONE, poked: 1 });
    await database.sql`update reconciler_sightings set seen_at = seen_at - interval '2 minutes'`;
    expect(await pass()).toEqual({ ...NONE, restarted: 1 });
    const second = await core.temporal.describe(workflowId);
    expect(second).toMatchObject({ open: true });
    expect(second?.runId).not.toBe(first?.runId);
    await core.startWorker();
    await rowBecomes(database, deploymentId, "failed");
    await listed(0);
    expect(await pass()).toEqual(NONE);
    expect(await database.sql`select 1 from reconciler_sightings`).toHaveLength(0);
  });

  it("acts on the poke by itself when a worker is there", async () => {
    const deploymentId = await silentDeployment();
    await core.temporal.start(deploymentStart(subject(deploymentId)));
    await core.startWorker();
    await deploymentSees(core, deploymentId, "pending");
    await database.sql`update runs set first_pending_at = svc_now() - interval '3 days'`;
    await listed(1);
    expect(await pass()).toEqual({ ...NONE, poked: 1 });
    await rowBecomes(database, deploymentId, "failed");
  });
});

describe("a workflow without a live row", () => {
  it("ends by itself after a reread when a worker is there", async () => {
    const deploymentId = await silentDeployment();
    await core.temporal.start(deploymentStart(subject(deploymentId)));
    await core.startWorker();
    await deploymentSees(core, deploymentId, "pending");
    await database.sql`delete from deployments`;
    await listed(1);
    expect(await pass()).toEqual({ ...NONE, reread: 1 });
    await waitFor(async () => (await core.temporal.describe(workflowIds.deployment(deploymentId)))?.open === false, {
      what: "its end",
    });
    expect(await temporal.client.workflow.getHandle(workflowIds.deployment(deploymentId)).result()).toEqual({
      ended: "absent",
    });
  });

  it("ends by itself when it still sleeps", async () => {
    const deploymentId = await silentDeployment();
    await core.temporal.start(deploymentStart(subject(deploymentId), 3_600_000));
    await core.startWorker();
    await database.sql`delete from deployments`;
    await listed(1);
    expect(await pass()).toEqual({ ...NONE, reread: 1 });
    await waitFor(async () => (await core.temporal.describe(workflowIds.deployment(deploymentId)))?.open === false, {
      what: "its end",
    });
  });

  it("is terminated a pass later, that very execution, and only if its row is still not live", async () => {
    const gone = await silentDeployment();
    await core.temporal.start(deploymentStart(subject(gone)));
    await core.temporal.start(leaseStart("00000000-0000-7000-8000-00000000dead", subject(gone)));
    const back = await silentDeployment();
    const [run] = await database.sql`select id from runs where deployment_id = ${back}`;
    await core.temporal.start(leaseStart(run?.id, subject(back)));
    await core.temporal.start(deploymentStart(subject(back)));
    await database.sql`delete from deployments where id = ${gone}`;
    await listed(4);
    expect(await pass()).toEqual({ ...NONE, reread: 3 });
    await database.sql`update reconciler_sightings set seen_at = seen_at - interval '2 minutes'`;
    await poll({ service: unheard }, org);
    expect(await pass()).toEqual({ ...NONE, ended: 2 });
    expect(await core.temporal.describe(workflowIds.deployment(gone))).toMatchObject({ open: false });
    expect(await core.temporal.describe(workflowIds.lease(run?.id))).toMatchObject({ open: true });
    expect(await core.temporal.describe(workflowIds.deployment(back))).toMatchObject({ open: true });
  });
});

describe("group selectors", () => {
  it("are recomputed, and a difference is counted", async () => {
    await silentDeployment();
    await database.sql`delete from group_selectors`;
    const healed: string[] = [];
    await reconcile(core.service, core.temporal, { healed: (_kind, action) => void healed.push(action) });
    expect(healed).toContain("selectors_recomputed");
    expect((await database.sql`select 1 from group_selectors`).length).toBeGreaterThan(0);
    expect((await pass()).selectors_recomputed).toBe(0);
  });
});

describe("many passes at once, with a worker at work", () => {
  it("start each workflow once and harm none", async () => {
    await core.startWorker();
    for (let i = 0; i < 20; i++) await silentDeployment();
    const counts = await Promise.all(Array.from({ length: 4 }, pass));
    expect(counts.reduce((sum, { started }) => sum + started, 0)).toBe(20);
    expect(counts.every(({ ended, restarted }) => ended === 0 && restarted === 0)).toBe(true);
  });
});
