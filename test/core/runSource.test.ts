/**
 * What a raw run and a local plan give their runner: the script in the context, the archive at the source route, and
 * nobody else (docs/rules/runner-protocol.md#the-run-context).
 */
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createLocalPlan } from "../../src/core/deployments/localSources/createLocal.ts";
import { sealCommand, storeCommand } from "../../src/core/deployments/rawCommands/rawCommand.ts";
import { sourceKey, sourcePlace } from "../../src/core/localSources/source.ts";
import { uploadSource } from "../../src/core/localSources/upload.ts";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { stacks } from "../../src/core/stacks/schema.ts";
import type { Principal } from "../../src/http/principal.ts";
import { archiveOfFiles, sha256Of } from "../support/archive.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { ACTOR, COMMIT, create, type Group, makeOrg, makeStack } from "../support/fixtures.ts";
import { coordinator, groupToken, type RunnerApi, runner, startRunnerApi } from "../support/runnerApi.ts";

let database: TestDatabase;
let api: RunnerApi;
const archive = archiveOfFiles({ "main.tf": "# uploaded\n" });

beforeAll(async () => {
  database = await freshDatabase({ max: 10 });
  api = await startRunnerApi(database);
});
afterAll(async () => {
  await api.close();
  await database.close();
});
afterEach(() => expect(api.unexpected).toEqual([]));

async function claimed(org: Group) {
  return runner(api, org, await (await coordinator(api, org)).claim());
}

/** A local plan of `archive`, claimed by its runner. */
async function localPlan() {
  const org = await makeOrg(database);
  await makeStack(database, org.orgId);
  const [stack] = (await database.db.select().from(stacks)).filter((row) => row.orgId === org.orgId);
  if (!stack) throw new Error("no stack");
  const principal: Principal = {
    ...ACTOR,
    orgId: org.orgId,
    tokenId: null,
    credential: { kind: "service_account_token", tokenId: "t", tokenName: "t" },
  };
  async function* body() {
    yield archive;
  }
  const upload = { principal, stack, sha256: sha256Of(archive), body: body() };
  const { local_source_key, local_source_sha256 } = await uploadSource(database.db, api.deps.objects, upload);
  const unused = () => Promise.reject(new Error("the commit is given"));
  await createLocalPlan(api.service, unused, {
    principal,
    stack,
    body: { local_source_key, local_source_sha256, commit_sha: COMMIT },
    idempotency: null,
  });
  return { org, key: local_source_key, runner: await claimed(org) };
}

const source = (of: Awaited<ReturnType<typeof claimed>>) => of.call("GET", `/runs/${of.run_id}/source`);

test("a local plan's context names its archive, and the source route gives exactly it, with its digest", async () => {
  const { runner: planner } = await localPlan();
  expect((await source(planner)).status).toBe(409);
  const context = (await (await planner.accept()).json()) as RunContext;
  expect(context.source).toEqual({ type: "local", sha256: sha256Of(archive), size: archive.length });
  expect(context.deployment).toMatchObject({ mode: "plan_unlocked", origin_type: "local" });
  expect(context.run).toMatchObject({ kind: "plan_run", state_locked: false });
  for (const _ of ["first", "again"]) {
    const answer = await source(planner);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-length")).toBe(String(archive.length));
    const digest = Buffer.from(sha256Of(archive), "hex").toString("base64");
    expect(answer.headers.get("repr-digest")).toBe(`sha-256=:${digest}:`);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(Buffer.from(await answer.arrayBuffer()).equals(archive)).toBe(true);
  }
  await planner.done({ status: "failure" });
  const late = await source(planner);
  expect(late.status).toBe(409);
  expect(await late.json()).toMatchObject({ code: "run_already_terminal" });
});

test("nobody but the run's own runner gets it", async () => {
  const { org, runner: planner } = await localPlan();
  await planner.accept();
  const other = await localPlan();
  await other.runner.accept();
  expect((await other.runner.call("GET", `/runs/${planner.run_id}/source`)).status).toBe(403);
  const stub = await runner(api, org, { run_id: planner.run_id, runner_id: randomUUID() });
  expect((await source(stub)).status).toBe(403);
  for (const authorization of ["", "Bearer nonsense", `Bearer ${await groupToken(org)}`]) {
    const answer = await api.fetch(`/runs/${planner.run_id}/source`, { headers: { authorization } });
    expect(answer.status, authorization.slice(0, 12)).toBe(401);
  }
});

test("a run from a repository has no source, nor has one whose archive is gone or another's", async () => {
  const org = await makeOrg(database);
  await create(api.service, await makeStack(database, org.orgId));
  const planner = await claimed(org);
  const context = (await (await planner.accept()).json()) as RunContext;
  expect(context.source.type).toBe("git");
  expect(context).not.toHaveProperty("raw");
  expect((await source(planner)).status).toBe(404);

  const { key, runner: local } = await localPlan();
  await api.deps.objects.delete(sourceKey(key));
  expect(((await (await local.accept()).json()) as RunContext).source.type).toBe("local");
  expect((await source(local)).status).toBe(404);
  // Another's archive under its name.
  const swapped = await localPlan();
  await swapped.runner.accept();
  await api.deps.objects.putSealed(sourceKey(swapped.key), sourcePlace(key), archive);
  const damaged = await source(swapped.runner);
  expect([damaged.status, ((await damaged.json()) as { code: string }).code]).toEqual([409, "artifact_damaged"]);
  // Never the committed files in place of the uploaded ones.
  const removed = await localPlan();
  await database.sql`delete from local_sources where id = ${removed.key}`;
  expect(((await (await removed.runner.accept()).json()) as RunContext).source.type).toBe("local");
  expect((await source(removed.runner)).status).toBe(404);
});

test("a raw run's context carries its script, once", async () => {
  const org = await makeOrg(database);
  const script = "set -u\nterraform state list # 'ünïcode'\n";
  const deploymentId = await create(api.service, await makeStack(database, org.orgId), { mode: "raw" });
  const command = await sealCommand(api.deps.keyring, script);
  await database.db.transaction((tx) => storeCommand(tx, deploymentId, command));
  const executor = await claimed(org);
  const context = (await (await executor.accept()).json()) as RunContext;
  expect(context.raw).toEqual({ script });
  expect(context.run).toMatchObject({ kind: "raw_run", state_locked: true });
  const again = await executor.accept();
  expect(again.status).toBe(409);
  expect(await again.text()).not.toContain("state list");
});
