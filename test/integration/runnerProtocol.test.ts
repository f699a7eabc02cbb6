/** A run's whole way over HTTP, and each call's answers (spec 4.7, 7; design 6.4). */
import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countStatements } from "../../src/db/statements.ts";
import type { RunContext } from "../../src/runs/protocol.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { COMMIT, create, decide, makeStack, statuses } from "../support/fixtures.ts";
import {
  coordinator,
  type Group,
  makeGroup,
  makeKeyedOrg,
  PLAN_WITH_CHANGES,
  type RunnerApi,
  runner,
  startRunnerApi,
} from "../support/runnerApi.ts";

let database: TestDatabase;
let api: RunnerApi;

beforeAll(async () => {
  database = await freshDatabase({ max: 10 });
  api = await startRunnerApi(database);
});
afterAll(async () => {
  await api.close();
  await database.close();
});

/** A claimed run of a new deployment, with its runner. */
async function claimed(group?: Group) {
  const org = group ?? (await makeKeyedOrg(database));
  const stackKey = await makeStack(database, org.orgId);
  const deploymentId = await create(api.service, stackKey);
  const polling = await coordinator(api, org);
  const stub = await polling.claim();
  return { org, stackKey, deploymentId, polling, stub, runner: await runner(api, org, stub) };
}

test("poll, accept, plan, done, confirm, apply with the same plan, done", async () => {
  const { org, deploymentId, polling, runner: planner } = await claimed();
  expect((await planner.ready()).status).toBe(204);
  const accepted = await planner.accept();
  expect(accepted.status).toBe(200);
  const context = (await accepted.json()) as RunContext;
  expect(context).toMatchObject({
    run: {
      id: planner.run_id,
      org_id: org.orgId,
      kind: "plan_run",
      state_locked: false,
      plan_run_id: null,
      targets: [],
    },
    deployment: { id: deploymentId, mode: "plan", origin_type: "manual", commit_sha: COMMIT },
    stack: { working_directory: ".", tool: "terraform", tool_version: null, labels: {} },
    source: { type: "git", repository_url: "https://git.example/r.git", branch: "main", commit_sha: COMMIT },
    environment: [],
    runtime_credentials: [],
    scm_credentials: null,
    limits: { max_run_duration_seconds: 21_600, log_chunk_bytes: 65_536, artifact_bytes: 4_000_000 },
  });
  const plan = randomBytes(300_000);
  expect((await planner.upload("plan", plan)).status).toBe(204);
  expect((await planner.done(PLAN_WITH_CHANGES)).status).toBe(204);
  expect((await statuses(database, deploymentId)).deployment).toBe("waiting");

  expect(await decide(api.service, database, deploymentId, "confirm", { action: "apply" } as never)).toMatchObject({
    outcome: "done",
  });
  const applier = await runner(api, org, await polling.claim());
  const applyContext = (await (await applier.accept()).json()) as RunContext;
  expect(applyContext.run).toMatchObject({
    kind: "apply_run",
    state_locked: true,
    plan_run_id: planner.run_id,
    plan_sha256: createHash("sha256").update(plan).digest("hex"),
  });
  const served = await applier.download("plan");
  expect(served.status).toBe(200);
  expect(served.headers.get("content-length")).toBe("300000");
  expect(Buffer.from(await served.arrayBuffer()).equals(plan)).toBe(true);
  expect((await applier.done({ status: "success", exit_code: 0 })).status).toBe(204);
  expect((await applier.deregister()).status).toBe(204);
  const { deployment, runs } = await statuses(database, deploymentId);
  expect({ deployment, runs }).toEqual({ deployment: "finished", runs: ["plan_run:success", "apply_run:success"] });
});
