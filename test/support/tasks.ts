/** What background tasks need, around a test's database, which is also its explore database. */
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import type { NewDeployment } from "../../src/core/deployments/transitions/create.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { artifactPlace } from "../../src/core/runs/storedPlaces.ts";
import type { KindsOfWork, TaskDeps } from "../../src/graph/tasks/kinds.ts";
import { runSlice, type TaskRunner } from "../../src/graph/tasks/runSlice.ts";
import { defaultConfig } from "../../src/main/config/defaultConfig.ts";
import { KINDS_OF_WORK } from "../../src/main/service/kindsOfWork.ts";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import { openObjectStore } from "../../src/platform/objects/openStore.ts";
import { type SealedObjects, sealedObjects } from "../../src/platform/objects/sealed.ts";
import type { Service } from "../../src/work/service.ts";
import type { TaskKind } from "../../src/work/tasks/taskKind.ts";
import { taskKey } from "../../workflows/ids.ts";
import type { TestDatabase } from "./database.ts";
import { claim, create, uploadPlan } from "./fixtures.ts";

export type TestTaskDeps = TaskDeps & { objects: SealedObjects; close(): Promise<void> };

export async function testTaskDeps(database: TestDatabase, service: Service): Promise<TestTaskDeps> {
  const folder = await mkdtemp(join(tmpdir(), "svc-tasks-"));
  const keyring = createKeyring({ provider: "aes-256", key: randomBytes(32), previousKeys: [] });
  return {
    service,
    explore: database.db,
    objects: sealedObjects(openObjectStore(`file://${folder}`), keyring),
    budgets: defaultConfig({}).dependencies,
    measureGraph: async () => {},
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

type Slices = { sliceMs?: number; kinds?: KindsOfWork; ended?: TaskRunner["sliceEnded"] };

/** Work on one task, slice by slice, as its workflow does; says how many slices it took. A delay is not waited for. */
export async function workOff(
  deps: TaskDeps,
  task: { kind: TaskKind; orgId: string; stackKey?: string },
  options: Slices = {},
): Promise<number> {
  const { kinds = KINDS_OF_WORK, sliceMs = 120_000, ended = () => {} } = options;
  const key = taskKey({ task: task.kind, orgId: task.orgId, stackKey: task.stackKey ?? null });
  await deps.service.db.execute(
    sql`update org_tasks set due_at = svc_now() where kind = ${task.kind} and subject_key = ${task.stackKey ?? task.orgId}`,
  );
  for (let slices = 1; ; slices++) {
    const view = await runSlice({ deps, kinds, sliceMs, sliceEnded: ended }, key, new AbortController().signal);
    if (view.nextMs === null) return slices;
    if (view.nextMs > 0) throw new Error(`${key} is put off by ${view.nextMs} ms`);
  }
}

/** The document, other text, or bytes; null: none is stored. */
export type Analysis = object | string | Buffer | null;
export type AnalyzedRun = { orgId: string; groupId: string; stackKey: string };

/** A deployment whose plan found nothing to change, and its analysis, through the product's own transitions. */
export async function finishWithAnalysis(
  deps: Pick<TestTaskDeps, "service" | "objects">,
  database: TestDatabase,
  { orgId, groupId, stackKey }: AnalyzedRun,
  analysis: Analysis,
  input: Partial<NewDeployment> = {},
): Promise<{ deploymentId: string; runId: string }> {
  const deploymentId = await create(deps.service, stackKey, input);
  const { runId, runnerId } = await claim(database, { orgId, groupId }, deploymentId);
  await acceptRun(deps.service, runId, runnerId);
  if (analysis !== null) await storeAnalysis(deps, database, runId, analysis);
  await uploadPlan(database, runId);
  const counts = { add: 0, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };
  await reportDone(deps.service, runId, runnerId, {
    status: "success",
    plan_summary: { has_changes: false, counts, gaps: [] },
  });
  return { deploymentId, runId };
}

/** Store a run's analysis as an upload does. */
async function storeAnalysis(
  { objects }: Pick<TestTaskDeps, "objects">,
  { sql }: TestDatabase,
  runId: string,
  analysis: NonNullable<Analysis>,
): Promise<void> {
  const bytes = Buffer.isBuffer(analysis)
    ? analysis
    : Buffer.from(typeof analysis === "string" ? analysis : JSON.stringify(analysis));
  const key = `runs/${runId}/artifacts/analysis/${randomUUID()}`;
  const { size, sha256 } = await objects.putSealed(key, artifactPlace(runId, "analysis"), bytes);
  await sql`insert into artifacts (run_id, kind, object_key, size, sha256) values (${runId}, 'analysis', ${key}, ${size}, ${sha256})`;
}
