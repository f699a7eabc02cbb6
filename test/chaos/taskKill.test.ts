/**
 * A worker killed in the middle of a background task: another goes on from what is stored, and nothing is lost
 * (docs/rules/workflows.md#background-tasks).
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { expect, inject } from "vitest";
import { freePorts } from "../../src/main/dev/ports.ts";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import { openObjectStore } from "../../src/platform/objects/openStore.ts";
import { sealedObjects } from "../../src/platform/objects/sealed.ts";
import { enqueueTask } from "../../src/work/tasks/enqueue.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { makeOrg, makeStack, testService } from "../support/fixtures.ts";
import { finishWithAnalysis } from "../support/tasks.ts";
import { coreTest } from "../support/test.ts";
import { waitFor } from "../support/waitFor.ts";
import { startWorkerProcess } from "../support/workerProcess.ts";

const STACKS = 12;
const RESOURCES = 6_000;

const key = randomBytes(32);

const test = coreTest()
  .extend("org", { scope: "file" }, ({ database }) => makeOrg(database))
  .extend("worker", ({ database, temporal, folder }) => async () => {
    const [port] = await freePorts(1);
    const environment = {
      SVC_DATABASE_URL: database.url,
      SVC_EXPLORE_DATABASE_URL: database.url,
      SVC_TEMPORAL_ADDRESS: temporal.address,
      SVC_TEMPORAL_NAMESPACE: temporal.namespace,
      SVC_OBJECTS_URL: `file://${folder}/objects`,
      SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
      SVC_DATA_ENCRYPTION_KEY: key.toString("base64"),
      SVC_WORKER_LISTEN: `127.0.0.1:${port}`,
      SVC_WORKFLOW_BUNDLE: inject("workflowBundlePath"),
    };
    return startWorkerProcess(environment, join(folder, "worker.log"));
  });

test("a rebuild goes on where the killed worker had stored it, and ends with every row", {
  timeout: 300_000,
}, async ({ database, core, org, worker, folder }) => {
  const keyring = createKeyring({ provider: "aes-256", key, previousKeys: [] });
  const objects = sealedObjects(openObjectStore(`file://${folder}/objects`), keyring);
  // Whose messages reach nobody: what counts is the rebuild alone.
  const service = testService(database);
  const items = Array.from({ length: RESOURCES }, (_, i) => ({
    address: `r.n${String(i).padStart(5, "0")}`,
    mode: "managed",
    type: "r",
    provider: "p",
  }));
  for (let i = 0; i < STACKS; i++) {
    const stackKey = await makeStack(database, org.orgId);
    await finishWithAnalysis(
      { service, objects },
      database,
      { ...org, stackKey },
      { version: 1, resources: { complete: true, items } },
    );
  }
  await database.sql`delete from org_tasks`;
  await database.sql`delete from outbox`;
  const first = await worker();
  await unitOfWork(core.service, (work) =>
    enqueueTask(work.tx, work.messages, { orgId: org.orgId, kind: "resource_index_rebuild" }),
  );
  const task = async () =>
    (await database.sql`select status, cursor from org_tasks where kind = 'resource_index_rebuild'`)[0];
  await waitFor(async () => (await task())?.cursor !== null, {
    what: "a stored cursor",
    timeoutMs: 60_000,
    everyMs: 5,
  });
  await first.stop("SIGKILL", 5_000);
  const killed = await task();
  expect(killed?.status).toBe("pending");
  const indexed = async () =>
    (await database.sql`select count(*)::int as n from explore.stacks where state = 'known'`)[0]?.n as number;
  expect(await indexed()).toBeLessThan(STACKS);
  const versions = (upTo: string) =>
    database.sql`select xmin::text, stack_key from explore.stacks where stack_key <= ${upTo} order by stack_key`;
  const before = await versions(killed?.cursor.stack);
  expect(before.length).toBeGreaterThan(0);
  const second = await worker();
  await waitFor(async () => (await task())?.status === "done", { what: "the rebuild to be done", timeoutMs: 180_000 });
  const [rows] =
    await database.sql`select count(*)::int as n, count(distinct stack_key)::int as stacks from explore.resources`;
  expect(rows).toEqual({ n: STACKS * RESOURCES, stacks: STACKS });
  expect(await indexed()).toBe(STACKS);
  // Its round went on: what was done before the kill was not written again.
  expect(await versions(killed?.cursor.stack)).toEqual(before);
  await second.stop("SIGTERM", 30_000);
});
